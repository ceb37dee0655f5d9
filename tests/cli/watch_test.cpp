// SPDX-License-Identifier: Apache-2.0
// mpm watch: what it says and leaves behind, how it ends, what it refuses and what it warns of.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/monitor_replay.h"
#include "cli/mpm.h"
#include "monitor/source/readers.h"
#include "scoped.h"

namespace mpm::test {
namespace {

using nlohmann::json;

TEST(Monitor, TwoReplaysSayTheSame) {
  const Folder folder;
  const std::string source = "yard=" + noisePictures(folder, 12);
  const Ended first = monitorReplay(source, {"--json"}), second = monitorReplay(source, {"--json"});
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.out, second.out);
  const json said = json::parse(first.out);
  EXPECT_EQ(said["sources"][0]["name"], "yard");
  EXPECT_EQ(said["sources"][0]["frames"], 12);
  std::uint64_t frames = 0;
  for (const auto& [light, figures] : said["sources"][0]["light"].items()) {
    frames += figures["frames"].get<std::uint64_t>();
    EXPECT_GT(figures["metrics"]["live_rows"]["mean"].get<double>(), 0) << light;
  }
  EXPECT_EQ(frames, 12u);
}

TEST(Monitor, ItsSummaryIsJsonWhateverBytesAPathHas) {
  const Folder folder;
  const std::string source = folder.at("caf\xE9");
  std::filesystem::rename(noisePictures(folder, 3), source);
  const Ended ended = monitorReplay("yard=" + source, {"--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string address = json::parse(ended.out)["sources"][0]["address"];
  EXPECT_NE(address.find("caf\xEF\xBF\xBD"), std::string::npos) << address;
}

std::set<std::string> lightsOf(const std::string& source, const Words& more) {
  Words words{"--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Ended ended = monitorReplay(source, words);
  EXPECT_EQ(ended.status, 0) << ended.err;
  std::set<std::string> lights;
  const json said = json::parse(ended.out);
  for (const auto& [light, figures] : said["sources"][0]["light"].items()) {
    if (figures["frames"] > 0) lights.insert(light);
  }
  return lights;
}

TEST(Monitor, WhatIsNightAndColourCanBeSet) {
  using Lights = std::set<std::string>;
  const Folder folder;
  const std::string source = noisePictures(folder, 4);  // noise: medium bright, colourful
  EXPECT_EQ(lightsOf(source, {"--light", "dwell=0,smoothing=0"}), Lights{"day"});
  EXPECT_EQ(lightsOf(source, {"--light", "dwell=0,smoothing=0,day=0.99,night=0.95"}),
            Lights{"night"});
  EXPECT_EQ(lightsOf(source, {"--light", "infrared=1,dwell=0"}), Lights{"infrared"});
  EXPECT_EQ(lightsOf(source, {"--light", "black=0.9,dwell=0"}), Lights{"no_signal"});
}

TEST(Monitor, GoesOnWithoutASourceUntilItsTimeIsOver) {
  const Ended ended = mpmProgram(
      {"watch", "/nowhere/camera.mp4", "--for", "1", "--model", modelFile("segmenter_mask.onnx")});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("no frame came"), std::string::npos) << ended.out;
}

TEST(Monitor, AReplayOfNothingFails) {
  const Folder folder;
  const Ended missing = monitorReplay("gate=" + folder.at("none.mp4"), {});
  EXPECT_EQ(missing.status, 1) << missing.out;
  EXPECT_NE(missing.err.find("no frame of gate was labelled: there is no file"), std::string::npos)
      << missing.err;
  const Ended large = monitorReplay(noisePictures(folder, 2), {"--max-megapixels", "0.001"});
  EXPECT_EQ(large.status, 1) << large.out;
  EXPECT_NE(large.err.find("more than 0.001 megapixels"), std::string::npos) << large.err;
}

// Seen: the log said that it was at its end, and nothing else.
TEST(Monitor, AReplaySaysWhichPicturesItCouldNotRead) {
  const Folder folder;
  const std::string source = noisePictures(folder, 3);
  folder.write("pictures/101.png", "none");
  const Ended ended = monitorReplay("gate=" + source, {});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.err.find("gate: it is at its end: 1 of the 3 pictures in "), std::string::npos)
      << ended.err;
}

// Its reader may have so much of a processor's time. Seen: status 0, and figures of a part.
TEST(Monitor, AReplayThatLosesItsReaderFails) {
  const Folder folder;
  const std::string source = folder.at("pictures"), first = source + "/100.png";
  std::filesystem::create_directory(source);
  cv::Mat picture(1000, 1000, CV_8UC3);
  cv::RNG(1).fill(picture, cv::RNG::UNIFORM, 0, 256);
  cv::imwrite(first, picture);
  for (int i = 101; i < 600; ++i) {
    std::filesystem::create_hard_link(first, source + "/" + std::to_string(i) + ".png");
  }
  const std::string reader =
      folder.write("reader", "#!/bin/sh\nulimit -t 1\nexec '" + monitor::readerProgram() + "'\n");
  std::filesystem::permissions(reader, std::filesystem::perms::owner_all);
  const Ended ended = mpmProgram(
      {"watch", "gate=" + source, "--replay", "--model", modelFile("segmenter_mask.onnx")},
      {{"MPM_READER", reader}});
  EXPECT_EQ(ended.status, 1) << ended.out;
  EXPECT_NE(ended.err.find("the replay of gate ended early: the process that reads "),
            std::string::npos)
      << ended.err;
}

TEST(Monitor, RefusesWhatCannotBe) {
  const Folder folder;
  const std::string model = modelFile("segmenter_mask.onnx");
  expectMpmRefuses({"watch"}, 2, "SOURCE");
  expectMpmRefuses({"watch", "scene:?seed=x"}, 2, "seed");
  expectMpmRefuses({"watch", "scene:", "--location", "91,0"}, 2, "--location");
  expectMpmRefuses({"watch", "scene:", "--http", "70000"}, 2, "--http");
  expectMpmRefuses({"watch", "scene:", "--max-megapixels", "0"}, 2, "--max-megapixels");
  expectMpmRefuses({"watch", "scene:", "--max-reader-mb", "0"}, 2, "--max-reader-mb");
  expectMpmRefuses({"watch", "scene:", "--http-token-file", "t"}, 2, "--http-token-file");
  expectMpmRefuses({"watch", "scene:", "--replay", "--loop"}, 2, "--replay");
  for (const char* option :
       {"--keep-days", "--keep-gb", "--clips-gb", "--pictures", "--pictures-gb", "--backups"}) {
    expectMpmRefuses({"watch", "scene:", option, "3"}, 2,
                     option + std::string(" requires --record"));
  }
  expectMpmRefuses({"watch", "scene:", "--restart"}, 2, "--restart requires --record");
  for (const char* option : {"--record", "--rules", "--http", "--mqtt", "--model"}) {
    expectMpmRefuses({"watch", "scene:", option, ""}, 2, option + std::string(": the value is"));
  }
  for (const char* option : {"--for", "--max-fps", "--max-megapixels", "--keep-gb"}) {
    expectMpmRefuses({"watch", "scene:", option, "nan"}, 2, "nan is not a number");
    expectMpmRefuses({"watch", "scene:", option, "inf"}, 2, "inf is not a number");
  }
  expectMpmRefuses({"watch", "scene:", "--replay", "--location", "48,11"}, 2,
                   "--location goes with --replay for folders");
  expectMpmRefuses({"watch", "scene:", "--mqtt-ca", "c"}, 2, "--mqtt-ca requires --mqtt");
  expectMpmRefuses({"watch", "scene:", "--mqtt", "mqtt://b", "--mqtt-ca", "c"}, 2, "mqtts://");
  expectMpmRefuses({"watch", "scene:", "--model", model, "--mqtt", "mqtts://b", "--mqtt-ca",
                    folder.at("none.crt")},
                   1, "none.crt");
  expectMpmRefuses({"watch", "scene:", "--model", folder.at("none.onnx")}, 1, "none.onnx");
  const std::string rules =
      folder.write("rules.toml", "[[rule]]\nname = \"a\"\nmetrik = \"luma\"\n");
  expectMpmRefuses({"watch", "scene:", "--model", model, "--rules", rules}, 1, "rules.toml:3");
}

TEST(Monitor, RefusesNamesThatCannotBeAndTakesFilesThatAreCalledSo) {
  for (const char* source : {"front door=rtsp://me:geheim@127.0.0.1/x",
                             "T\u00fcr=scene:", "=scene:", "a.b=yard.mp4", "a b=/dev/video0"}) {
    expectMpmRefuses({"watch", source}, 2, "such as front-door=/dev");
  }
  expectMpmRefuses({"watch", "gate=front door=scene:"}, 2, "begins with a name");
  const Folder folder;
  const std::string source = noisePictures(folder, 2);
  const CurrentFolder here(folder.at(""));
  std::filesystem::rename(source, "my day=1");
  EXPECT_EQ(monitorReplay("my day=1", {}).status, 0);
}

TEST(Monitor, ARuleThatWantsAClipWithoutARecordIsWarnedOf) {
  const Folder folder;
  const std::string source = noisePictures(folder, 2);
  const auto errorsOf = [&](const std::string& wish, const Words& more = {}) {
    Words words{"--rules", folder.write("rules.toml",
                                        "[[rule]]\nname = \"a\"\nmetric = \"luma\""
                                        "\nabove = 0.9\n" +
                                            wish)};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = monitorReplay("gate=" + source, words);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.err;
  };
  const std::string warned = "gate: rule 'a' asks for a clip, but without --record none is kept";
  EXPECT_NE(errorsOf("clip = true\n").find(warned), std::string::npos);
  EXPECT_NE(errorsOf("snapshot = true\n").find("asks for a snapshot"), std::string::npos);
  EXPECT_EQ(errorsOf("").find("asks for"), std::string::npos);
  EXPECT_EQ(errorsOf("clip = true\n", {"--record", folder.at("a.sqlite")}).find("asks for"),
            std::string::npos);
}

TEST(Monitor, APasswordOnTheCommandLineIsWarnedOf) {
  const Folder folder;
  const auto errorsOf = [&](const std::string& source, const Words& more = {}) {
    Words words{"watch", source, "--for", "0.2", "--model", modelFile("segmenter_mask.onnx")};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = mpmProgram(words);
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.err.find("geheim"), std::string::npos) << ended.err;
    return ended.err;
  };
  const std::string warned = "can be read by every user of this machine";
  EXPECT_NE(errorsOf("gate=rtsp://me:geheim@127.0.0.1:1/x").find("address of gate " + warned),
            std::string::npos);
  EXPECT_NE(errorsOf("http://127.0.0.1:1/x?pwd=geheim").find(warned), std::string::npos);
  EXPECT_EQ(errorsOf("rtsp://me@127.0.0.1:1/x").find(warned), std::string::npos);
  EXPECT_NE(errorsOf("scene:?size=64x64", {"--mqtt", "mqtt://me:geheim@127.0.0.1:1"})
                .find("--mqtt-password-file"),
            std::string::npos);
  const std::string file = folder.write("gate.camera", "rtsp://me:geheim@127.0.0.1:1/x\n");
  namespace fs = std::filesystem;
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(errorsOf("gate=@" + file).find(warned), std::string::npos);
  fs::permissions(file, fs::perms::others_read, fs::perm_options::add);
  expectMpmRefuses({"watch", "gate=@" + file}, 2, "can be read by everybody");
}

TEST(Monitor, RefusesLightsThatCannotBeAndSaysWhichKeysThereAre) {
  const auto refuses = [](const std::string& light, const std::string& part) {
    expectMpmRefuses({"watch", "scene:", "--light", light}, 2, part);
  };
  refuses("nigth=0.2", "day, night, infrared, blank, black, margin, smoothing and dwell");
  refuses("night", "KEY=VALUE");
  refuses("day=0.5,,night=0.2", "empty");
  refuses("day=1.5", "0 to 1");
  refuses("margin=-0.1", "0 to 1");
  refuses("dwell=5s", "seconds");
  refuses("night=nan", "0 to 1");
  refuses("night=0.4", "night=0.4 and day=0.34");
}

TEST(Monitor, RefusesRulesOfNoSource) {
  const Words scenes{"watch", "gate=scene:", "yard=scene:"};
  const auto refuses = [&](const Words& rules, const std::string& part) {
    Words words = scenes;
    for (const std::string& file : rules) words.insert(words.end(), {"--rules", file});
    expectMpmRefuses(words, 2, part);
  };
  refuses({"road=r.toml"}, "there is no source road; there is gate, yard");
  refuses({"road=r.toml"}, "./road=r.toml");
  refuses({"gate=a.toml", "gate=b.toml"}, "twice for gate");
  refuses({"a.toml", "b.toml"}, "twice for all sources");
  refuses({"gate="}, "names no file");
}

}  // namespace
}  // namespace mpm::test
