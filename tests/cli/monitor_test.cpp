// SPDX-License-Identifier: Apache-2.0
// mpm monitor and mpm export: what they leave behind, how they end, and what they refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/mpm.h"
#include "monitor/source/reader_process.h"
#include "scoped.h"

namespace mpm::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

std::string pictures(const Folder& folder, int count) {
  const std::string path = folder.at("pictures");
  std::filesystem::create_directory(path);
  for (int i = 0; i < count; ++i) {
    cv::Mat picture(48, 64, CV_8UC3);
    cv::RNG(static_cast<std::uint64_t>(i) + 1).fill(picture, cv::RNG::UNIFORM, 0, 256);
    cv::imwrite(path + "/" + std::to_string(100 + i) + ".png", picture);
  }
  return path;
}

Ended monitorReplay(const std::string& source, const Words& more) {
  Words words{"monitor", source, "--replay", "--model", modelFile("segmenter_mask.onnx")};
  words.insert(words.end(), more.begin(), more.end());
  return mpmProgram(words);
}

TEST(Monitor, TwoReplaysSayTheSame) {
  const Folder folder;
  const std::string source = "yard=" + pictures(folder, 12);
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
  std::filesystem::rename(pictures(folder, 3), source);
  const Ended ended = monitorReplay("yard=" + source, {"--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string address = json::parse(ended.out)["sources"][0]["address"];
  EXPECT_NE(address.find("caf\xEF\xBF\xBD"), std::string::npos) << address;
}

TEST(Monitor, ARecordIsExported) {
  const Folder folder;
  const std::string record = folder.at("yard.sqlite");
  const Ended watched = monitorReplay("yard=" + pictures(folder, 25), {"--record", record});
  ASSERT_EQ(watched.status, 0) << watched.err;
  EXPECT_NE(watched.out.find("yard"), std::string::npos);  // the summary's table
  const Ended csv =
      mpmProgram({"export", record, "--resolution", "second", "--metrics", "live_rows,confidence"});
  ASSERT_EQ(csv.status, 0) << csv.err;
  EXPECT_NE(csv.out.find("live_rows.mean"), std::string::npos);
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 1 + 3);  // 25 frames, 10 a second
  const Ended nights =
      mpmProgram({"export", record, "--what", "day-night", "--metrics", "live_rows"});
  ASSERT_EQ(nights.status, 0) << nights.err;
  EXPECT_EQ(std::count(nights.out.begin(), nights.out.end(), '\n'), 2) << nights.out;
  const Ended printed = mpmProgram({"export", record, "--what", "events", "--json", "--out", "-"});
  EXPECT_EQ(printed.out, mpmProgram({"export", record, "--what", "events", "--json"}).out);
  const Ended events = mpmProgram({"export", record, "--what", "events", "--json"});
  ASSERT_EQ(events.status, 0) << events.err;
  EXPECT_FALSE(json::parse(events.out).empty());
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
  const std::string source = pictures(folder, 4);  // noise: medium bright, colourful
  EXPECT_EQ(lightsOf(source, {"--light", "dwell=0,smoothing=0"}), Lights{"day"});
  EXPECT_EQ(lightsOf(source, {"--light", "dwell=0,smoothing=0,day=0.99,night=0.95"}),
            Lights{"night"});
  EXPECT_EQ(lightsOf(source, {"--light", "infrared=1,dwell=0"}), Lights{"infrared"});
  EXPECT_EQ(lightsOf(source, {"--light", "black=0.9,dwell=0"}), Lights{"no_signal"});
}

TEST(Monitor, ARecordTellsTheLightItWasMadeWith) {
  const Folder folder;
  const std::string record = folder.at("yard.sqlite");
  ASSERT_EQ(
      monitorReplay(pictures(folder, 2), {"--light", "night=0.125,dwell=7", "--record", record})
          .status,
      0);
  const std::string bytes = bytesOf(record);
  EXPECT_NE(bytes.find("night=0.125,"), std::string::npos);
  EXPECT_NE(bytes.find("dwell=7"), std::string::npos);
}

TEST(Monitor, GoesOnWithoutASourceUntilItsTimeIsOver) {
  const Ended ended = mpmProgram({"monitor", "/nowhere/camera.mp4", "--for", "1", "--model",
                                  modelFile("segmenter_mask.onnx")});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("no frame came"), std::string::npos) << ended.out;
}

TEST(Monitor, AReplayOfNothingFails) {
  const Folder folder;
  const Ended missing = monitorReplay("gate=" + folder.at("none.mp4"), {});
  EXPECT_EQ(missing.status, 1) << missing.out;
  EXPECT_NE(missing.err.find("no frame of gate was labelled: there is no file"), std::string::npos)
      << missing.err;
  const Ended large = monitorReplay(pictures(folder, 2), {"--max-megapixels", "0.001"});
  EXPECT_EQ(large.status, 1) << large.out;
  EXPECT_NE(large.err.find("more than 0.001 megapixels"), std::string::npos) << large.err;
}

// Seen: the log said that it was at its end, and nothing else.
TEST(Monitor, AReplaySaysWhichPicturesItCouldNotRead) {
  const Folder folder;
  const std::string source = pictures(folder, 3);
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
      {"monitor", "gate=" + source, "--replay", "--model", modelFile("segmenter_mask.onnx")},
      {{"MPM_READER", reader}});
  EXPECT_EQ(ended.status, 1) << ended.out;
  EXPECT_NE(ended.err.find("the replay of gate ended early: the process that reads "),
            std::string::npos)
      << ended.err;
}

TEST(Monitor, RefusesWhatCannotBe) {
  const Folder folder;
  const std::string model = modelFile("segmenter_mask.onnx");
  expectMpmRefuses({"monitor"}, 2, "SOURCE");
  expectMpmRefuses({"monitor", "scene:?seed=x"}, 2, "seed");
  expectMpmRefuses({"monitor", "scene:", "--location", "91,0"}, 2, "--location");
  expectMpmRefuses({"monitor", "scene:", "--http", "70000"}, 2, "--http");
  expectMpmRefuses({"monitor", "scene:", "--max-megapixels", "0"}, 2, "--max-megapixels");
  expectMpmRefuses({"monitor", "scene:", "--max-reader-mb", "0"}, 2, "--max-reader-mb");
  expectMpmRefuses({"monitor", "scene:", "--http-token-file", "t"}, 2, "--http-token-file");
  expectMpmRefuses({"monitor", "scene:", "--replay", "--loop"}, 2, "--replay");
  for (const char* option :
       {"--keep-days", "--keep-gb", "--clips-gb", "--pictures", "--pictures-gb", "--backups"}) {
    expectMpmRefuses({"monitor", "scene:", option, "3"}, 2,
                     option + std::string(" only works with --record"));
  }
  expectMpmRefuses({"monitor", "scene:", "--new-view"}, 2, "--new-view only works with --record");
  for (const char* option : {"--record", "--rules", "--http", "--mqtt", "--model"}) {
    expectMpmRefuses({"monitor", "scene:", option, ""}, 2, option + std::string(": the value is"));
  }
  for (const char* option : {"--for", "--max-fps", "--max-megapixels", "--keep-gb"}) {
    expectMpmRefuses({"monitor", "scene:", option, "nan"}, 2, "nan is not a number");
    expectMpmRefuses({"monitor", "scene:", option, "inf"}, 2, "inf is not a number");
  }
  expectMpmRefuses({"monitor", "scene:", "--replay", "--location", "48,11"}, 2,
                   "--location does not work with --replay");
  expectMpmRefuses({"monitor", "scene:", "--mqtt-ca", "c"}, 2, "--mqtt-ca only works with --mqtt");
  expectMpmRefuses({"monitor", "scene:", "--mqtt", "mqtt://b", "--mqtt-ca", "c"}, 2, "mqtts://");
  expectMpmRefuses({"monitor", "scene:", "--model", model, "--mqtt", "mqtts://b", "--mqtt-ca",
                    folder.at("none.crt")},
                   1, "none.crt");
  expectMpmRefuses({"monitor", "scene:", "--model", folder.at("none.onnx")}, 1, "none.onnx");
  const std::string rules =
      folder.write("rules.toml", "[[rule]]\nname = \"a\"\nmetrik = \"luma\"\n");
  expectMpmRefuses({"monitor", "scene:", "--model", model, "--rules", rules}, 1, "rules.toml:3");
}

TEST(Monitor, RefusesNamesThatCannotBeAndTakesFilesThatAreCalledSo) {
  for (const char* source : {"front door=rtsp://me:geheim@127.0.0.1/x",
                             "T\u00fcr=scene:", "=scene:", "a.b=yard.mp4", "a b=/dev/video0"}) {
    expectMpmRefuses({"monitor", source}, 2, "such as front-door=/dev");
  }
  expectMpmRefuses({"monitor", "gate=front door=scene:"}, 2, "begins with a name");
  const Folder folder;
  const std::string source = pictures(folder, 2);
  const CurrentFolder here(folder.at(""));
  std::filesystem::rename(source, "my day=1");
  EXPECT_EQ(monitorReplay("my day=1", {}).status, 0);
}

TEST(Monitor, ARuleThatWantsAClipWithoutARecordIsWarnedOf) {
  const Folder folder;
  const std::string source = pictures(folder, 2);
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
    Words words{"monitor", source, "--for", "0.2", "--model", modelFile("segmenter_mask.onnx")};
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
  expectMpmRefuses({"monitor", "gate=@" + file}, 2, "can be read by everybody");
}

TEST(Monitor, RefusesLightsThatCannotBeAndSaysWhichKeysThereAre) {
  const auto refuses = [](const std::string& light, const std::string& part) {
    expectMpmRefuses({"monitor", "scene:", "--light", light}, 2, part);
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
  const Words scenes{"monitor", "gate=scene:", "yard=scene:"};
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

// Opened for writing, it would be empty before anything was read of it.
TEST(Export, RefusesToWriteOverTheRecord) {
  namespace fs = std::filesystem;
  const Folder folder;
  const std::string record = folder.at("yard.sqlite");
  ASSERT_EQ(monitorReplay("yard=" + pictures(folder, 3), {"--record", record}).status, 0);
  const std::string before = bytesOf(record);
  fs::create_symlink("yard.sqlite", folder.at("link"));
  fs::create_hard_link(record, folder.at("twin"));
  folder.write("yard.sqlite-wal", "");
  for (const std::string& out : {record, folder.at("./yard.sqlite"), folder.at("link"),
                                 folder.at("twin"), record + "-wal", record + "-shm"}) {
    expectMpmRefuses({"export", record, "--out", out}, 2, "belongs to the record");
    EXPECT_EQ(bytesOf(record), before) << out;
  }
  expectMpmRefuses({"export", folder.at("link"), "--out", record}, 2, "belongs to the record");
  EXPECT_EQ(bytesOf(record), before);
}

TEST(Export, RefusesToWriteOverBackupsSnapshotsAndOtherRecords) {
  const Folder folder;
  const std::string record = folder.at("yard.sqlite"), other = folder.at("other.sqlite");
  ASSERT_EQ(monitorReplay("yard=" + pictures(folder, 3), {"--record", record}).status, 0);
  std::filesystem::copy_file(record, other);
  std::filesystem::create_directories(folder.at("yard-snapshots"));
  const std::string backup = folder.write("yard.sqlite.backup-1", "a backup");
  const std::string snapshot = folder.write("yard-snapshots/s.json", "{}");
  std::filesystem::create_hard_link(snapshot, folder.at("twin"));
  for (const std::string& out :
       {backup, record + ".backup-2", record + ".damaged-1", record + ".removed-1-snapshots",
        record + ".replaced-1", snapshot, folder.at("twin"), folder.at("yard-snapshots/new.csv")}) {
    expectMpmRefuses({"export", record, "--out", out}, 2, "belongs to the record");
  }
  const std::string before = bytesOf(other);
  expectMpmRefuses({"export", record, "--out", other}, 2, "is a record itself");
  expectMpmRefuses({"export", record, "--out", other + "-wal"}, 2, "or belongs to one");
  EXPECT_EQ(bytesOf(other), before);
  EXPECT_EQ(bytesOf(backup), "a backup");
  EXPECT_EQ(bytesOf(snapshot), "{}");
}

TEST(Export, ARecordWhoseNameEndsInPartStaysWhereItIs) {
  const Folder folder;
  const std::string record = folder.at("rec.part");
  ASSERT_EQ(monitorReplay("yard=" + pictures(folder, 3), {"--record", record}).status, 0);
  const std::string before = bytesOf(record);
  ASSERT_EQ(mpmProgram({"export", record, "--out", folder.at("rec")}).status, 0);
  EXPECT_EQ(bytesOf(record), before);
  EXPECT_NE(bytesOf(folder.at("rec")).find("utc_ms"), std::string::npos);
}

// Without SQLite's own files beside the record, which readers may leave.
std::set<std::string> exportsIn(const Folder& folder) {
  std::set<std::string> names = folder.content();
  for (const char* own : {"yard.sqlite-shm", "yard.sqlite-wal"}) names.erase(own);
  return names;
}

TEST(Export, WhatFailsLeavesTheOldFileAsItWas) {
  const Folder folder;
  const std::string record = folder.at("yard.sqlite"), out = folder.write("good.csv", "good");
  ASSERT_EQ(monitorReplay("yard=" + pictures(folder, 3), {"--record", record}).status, 0);
  const auto names = exportsIn(folder);
  expectMpmRefuses({"export", record, "--source", "typo", "--out", out}, 2, "--source typo");
  expectMpmRefuses({"export", record, "--metrics", "typo", "--out", out}, 2, "typo");
  expectMpmRefuses({"export", record, "--from", "2026-01-02", "--to", "2026-01-01", "--out", out},
                   2, "before");
  expectMpmRefuses({"export", record, "--resolution", "week", "--out", out}, 2, "--resolution");
  expectMpmRefuses({"export", record, "--metrics", "luma,luma", "--out", out}, 2, "given twice");
  EXPECT_EQ(bytesOf(out), "good");
  EXPECT_EQ(exportsIn(folder), names);

  ASSERT_EQ(mpmProgram({"export", record, "--out", out}).status, 0);
  EXPECT_NE(bytesOf(out).find("live_rows.mean"), std::string::npos);
  EXPECT_EQ(exportsIn(folder), names);  // nothing beside it
}

TEST(Export, WritesThroughALinkAndIntoWhatIsNoFile) {
  namespace fs = std::filesystem;
  const Folder folder;
  const std::string record = folder.at("yard.sqlite"), out = folder.write("good.csv", "good");
  ASSERT_EQ(monitorReplay("yard=" + pictures(folder, 3), {"--record", record}).status, 0);
  fs::create_symlink("good.csv", folder.at("link"));
  fs::permissions(out, fs::perms::owner_all);
  ASSERT_EQ(mpmProgram({"export", record, "--out", folder.at("link")}).status, 0);
  EXPECT_TRUE(fs::is_symlink(folder.at("link")));
  EXPECT_NE(bytesOf(out).find("live_rows.mean"), std::string::npos);
  EXPECT_EQ(fs::status(out).permissions(), fs::perms::owner_all);
  EXPECT_EQ(mpmProgram({"export", record, "--out", "/dev/null"}).status, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Export, RefusesWhatIsNotThere) {
  const Folder folder;
  expectMpmRefuses({"export", folder.at("none.sqlite")}, 1, "none.sqlite");
  expectMpmRefuses({"export", folder.at("none.sqlite"), "--what", "all"}, 2, "--what");
  expectMpmRefuses({"export", folder.at("none.sqlite"), "--from", "yesterday"}, 2, "--from");
  expectMpmRefuses({"export", folder.at("none.sqlite"), "--to", "2026-02-31"}, 2, "--to");
  expectMpmRefuses({"export", folder.at("none.sqlite"), "--resolution", "week"}, 2, "--resolution");
}

TEST(Export, ATimeIsWrittenInFull) {
  for (const char* time : {"26-05-04", "2026-05-04T13", " 2026-05-04", "2026-05-04 ", "2026-5-4",
                           "2026-05-04T13:00:60", "2026-05-04T24:00", "2026-05-04T13:00:5",
                           "2026-05-04 13:00", "2026-05-04T13:00ZZ", "Z"}) {
    expectMpmRefuses({"export", "none.sqlite", "--from", time}, 2, "is not a time");
  }
  for (const char* time : {"2026-05-04", "2026-05-04Z", "2026-05-04T13:00", "2026-05-04T13:00:59Z"})
    expectMpmRefuses({"export", "none.sqlite", "--from", time}, 1, "none.sqlite");
}

}  // namespace
}  // namespace mpm::test
