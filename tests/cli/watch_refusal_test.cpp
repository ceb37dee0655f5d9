// SPDX-License-Identifier: Apache-2.0
// What mpm watch refuses, and what it warns of.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/monitor_replay.h"
#include "cli/mpm.h"
#include "scoped.h"

namespace mpm::test {
namespace {

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
