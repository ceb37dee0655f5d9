// SPDX-License-Identifier: Apache-2.0
// What mpm watch heeds while it runs: signals, rules that change, systemd.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/videoio.hpp>
#include <opencv2/videoio/registry.hpp>
#include <string>
#include <vector>

#include "cli/mpm.h"
#include "cli/running_monitor.h"
#include "monitor/record/database.h"
#include "monitor/record/record_reader.h"
#include "monitor/says.h"

namespace mpm::test {
namespace {

using Words = std::vector<std::string>;

const std::string kScene = "yard=scene:?size=64x64";

std::string ruleNamed(const std::string& name) {
  return "[[rule]]\nname = \"" + name + "\"\nmetric = \"luma\"\nabove = 0.0001\n";
}

bool hasLine(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

int timesIn(const std::string& text, const std::string& part) {
  int times = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST(RunningMonitor, ServesIpv6AtAnAddressThatBrowsersTake) {
  if (monitor::readText("/proc/net/if_inet6").empty()) GTEST_SKIP() << "this machine has no IPv6";
  RunningMonitor monitor({kScene, "--http", "[::1]:0"});
  EXPECT_TRUE(monitor.says("at http://[::1]:")) << monitor.log();
  EXPECT_EQ(monitor.end(SIGTERM), 0) << monitor.log();
}

TEST(RunningMonitor, ChoosesAPrecisionOnWhatItSees) {
  const Folder folder(Disk::memory);
  const std::string record = folder.at("yard.sqlite");
  RunningMonitor monitor({kScene, "--precision", "auto", "--record", record});
  ASSERT_TRUE(monitor.says("computing in ")) << monitor.log();
  EXPECT_TRUE(monitor.says("int8")) << monitor.log();
  EXPECT_EQ(monitor.end(SIGTERM), 0) << monitor.log();
  const std::string settings = monitor::RecordReader(record).runs("yard").back().facts.settings;
  const std::string precision = nlohmann::json::parse(settings)["precision"];
  EXPECT_TRUE(precision == "fp32" || precision == "bf16" || precision == "fp16" ||
              precision == "int8")
      << precision;
  EXPECT_TRUE(monitor.says("computing in " + precision)) << monitor.log();
}

TEST(RunningMonitor, ASourceThatIsNotThereIsToldWithoutItsPassword) {
  const Folder folder(Disk::memory);
  const std::string file = folder.write("gate.camera", "rtsp://me:geheim@127.0.0.1:1/x\n");
  std::filesystem::permissions(
      file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  RunningMonitor monitor({"/nowhere/camera.mp4", "gate=@" + file});
  EXPECT_TRUE(monitor.says("rtsp://***@127.0.0.1:1/x cannot be opened")) << monitor.log();
  EXPECT_TRUE(monitor.says("/nowhere/camera.mp4")) << monitor.log();
  EXPECT_EQ(monitor.end(SIGTERM), 0) << monitor.log();
  EXPECT_EQ(monitor.log().find("geheim"), std::string::npos) << monitor.log();
  EXPECT_EQ(monitor.log().find("[tcp @"), std::string::npos) << "FFmpeg's own words hold addresses";
}

TEST(RunningMonitor, SighupPutsChangedRulesInForce) {
  const Folder folder(Disk::memory);
  const std::string rules = folder.write("rules.toml", ruleNamed("first")),
                    record = folder.at("yard.sqlite");
  RunningMonitor monitor({kScene, "--rules", rules, "--record", record, "--http", "0"});
  ASSERT_TRUE(monitor.says("'first' began")) << monitor.log();
  folder.write("rules.toml", ruleNamed("second"));
  monitor.tell(SIGHUP);
  ASSERT_TRUE(monitor.says("read again; figures continue")) << monitor.log();
  ASSERT_TRUE(monitor.says("'second' began")) << monitor.log();
  const std::string metrics = monitor.page("/metrics");
  EXPECT_TRUE(hasLine(metrics, "mpm_rule_holding{source=\"yard\",rule=\"second\"} 1")) << metrics;
  EXPECT_EQ(metrics.find("\"first\""), std::string::npos);
  EXPECT_EQ(monitor.end(SIGTERM), 0) << monitor.log();
  const Ended events = mpmProgram({"record", "export", record, "--what", "events"});
  EXPECT_NE(events.out.find("'first' began"), std::string::npos) << events.out << events.err;
  EXPECT_NE(events.out.find("'second' began"), std::string::npos) << events.out << events.err;
}

TEST(RunningMonitor, SighupWithFaultyRulesChangesNothingAndTellsTheLine) {
  const Folder folder(Disk::memory);
  const std::string rules = folder.write("rules.toml", ruleNamed("first"));
  RunningMonitor monitor({kScene, "--rules", rules, "--http", "0"});
  ASSERT_TRUE(monitor.says("'first' began")) << monitor.log();
  const auto isInForce = [&] {
    return hasLine(monitor.page("/metrics"), "mpm_rule_holding{source=\"yard\",rule=\"first\"} 1");
  };
  folder.write("rules.toml", "[[rule]]\nname = \"second\"\nmetrik = \"luma\"\n");
  monitor.tell(SIGHUP);
  ASSERT_TRUE(monitor.says("rules.toml:3: ")) << monitor.log();
  EXPECT_TRUE(monitor.says("keeping the rules as they were")) << monitor.log();
  EXPECT_TRUE(isInForce());
  // A metric that there is not is known to be wrong only when the net's classes are.
  folder.write("rules.toml", "[[rule]]\nname = \"x\"\nmetric = \"area.nothing\"\nabove = 1\n");
  monitor.tell(SIGHUP);
  EXPECT_TRUE(monitor.says("area.nothing")) << monitor.log();
  EXPECT_TRUE(monitor.says("keeping the rules as they were", 2)) << monitor.log();
  EXPECT_TRUE(isInForce());
  EXPECT_FALSE(hasLine(monitor.log(), "read again"));
  EXPECT_EQ(monitor.end(SIGTERM), 0);
}

TEST(RunningMonitor, EachSourceHasItsRulesAndSighupReadsAllOfThem) {
  const Folder folder(Disk::memory);
  const std::string all = folder.write("all.toml", ruleNamed("everywhere")),
                    own = folder.write("gate.toml", ruleNamed("gate alone"));
  RunningMonitor monitor({"gate=scene:?size=64x64", "yard=scene:?size=64x64",
                          "road=scene:?size=64x64", "--rules", "gate=" + own, "--rules", all});
  for (const char* said : {"gate: Rule 'gate alone' began", "yard: Rule 'everywhere' began",
                           "road: Rule 'everywhere' began"}) {
    ASSERT_TRUE(monitor.says(said)) << monitor.log();
  }
  EXPECT_EQ(monitor.log().find("gate: Rule 'everywhere'"), std::string::npos) << monitor.log();
  folder.write("all.toml", ruleNamed("all anew"));
  folder.write("gate.toml", ruleNamed("gate anew"));
  monitor.tell(SIGHUP);
  for (const char* said : {"gate: Rule 'gate anew' began", "yard: Rule 'all anew' began",
                           "road: Rule 'all anew' began"}) {
    ASSERT_TRUE(monitor.says(said)) << monitor.log();
  }
  EXPECT_EQ(monitor.end(SIGTERM), 0);
}

// Once for each model: neither for other rules nor for other zones.
TEST(RunningMonitor, SighupChoosesAPrecisionForAModelThatWasReplacedAndSaysWhich) {
  const Folder folder(Disk::memory);
  const std::string model = folder.at("model.onnx"),
                    rules = folder.write("rules.toml", ruleNamed("first"));
  std::filesystem::copy_file(modelFile("segmenter_mask.onnx"), model);
  RunningMonitor monitor({kScene, "--rules", rules, "--model", model, "--precision", "auto"});
  ASSERT_TRUE(monitor.says("'first' began")) << monitor.log();
  ASSERT_TRUE(monitor.says("computing in ")) << monitor.log();
  folder.write("rules.toml",
               "[[zone]]\nname = \"left\"\ncorners = [[0, 0], [0.5, 0], [0.5, 1], [0, 1]]\n" +
                   ruleNamed("second"));
  monitor.tell(SIGHUP);
  ASSERT_TRUE(monitor.says("'second' began")) << monitor.log();
  std::ofstream(model, std::ios::app | std::ios::binary) << std::string("\x32\x01x", 3);
  monitor.tell(SIGHUP);
  ASSERT_TRUE(monitor.says("figures start over", 2)) << monitor.log();
  EXPECT_TRUE(monitor.says("computing in ", 2)) << monitor.log();
  EXPECT_EQ(monitor.end(SIGTERM), 0) << monitor.log();
  EXPECT_FALSE(monitor.says("computing in ", 3)) << monitor.log();
}

// Another program holds a lock until it has ended.
TEST(RunningMonitor, WhatABlockedRecordLacksAtTheEndIsToldWithAStatus) {
  const Folder folder(Disk::memory);
  const std::string record = folder.at("yard.sqlite");
  RunningMonitor monitor({kScene, "--record", record, "--http", "0"});
  ASSERT_TRUE(monitor.says("the light is")) << monitor.log();
  monitor::Database other(record, monitor::Database::Access::readWrite, 120000);
  other.run("BEGIN IMMEDIATE");
  ASSERT_TRUE(monitor.says("holds a lock")) << monitor.log();
  EXPECT_TRUE(eventually([&] {
    return monitor.page("/healthz").find("record: Another program holds a lock") !=
           std::string::npos;
  }));
  EXPECT_EQ(monitor.end(SIGTERM), 1) << monitor.log();
  EXPECT_NE(monitor.log().find(
                " of figures), which could not be written at the end and are lost: Another "
                "program holds a lock"),
            std::string::npos)
      << monitor.log();
}

TEST(RunningMonitor, ADamagedRecordIsToldEverywhere) {
  const Folder folder(Disk::memory);
  const std::string record = folder.at("yard.sqlite");
  RunningMonitor monitor({kScene, "--record", record, "--http", "0"});
  ASSERT_TRUE(monitor.says("the light is")) << monitor.log();
  ASSERT_TRUE(
      eventually([&] { return !hasLine(monitor.page("/metrics"), "mpm_record_written_total 0"); }));
  std::filesystem::resize_file(record, std::filesystem::file_size(record) / 2);
  ASSERT_TRUE(monitor.says("the record: The record was damaged")) << monitor.log();
  EXPECT_TRUE(hasLine(monitor.page("/metrics"), "mpm_record_fault 1"));
  const std::string health = monitor.page("/healthz");
  EXPECT_NE(health.find(" 503 "), std::string::npos) << health;
  EXPECT_NE(health.find("record: The record was damaged"), std::string::npos) << health;
  EXPECT_EQ(monitor.end(SIGTERM), 0) << monitor.log();
  const Ended events = mpmProgram({"record", "export", record, "--what", "events"});
  EXPECT_NE(events.out.find(",record,damaged,"), std::string::npos) << events.out << events.err;
  EXPECT_EQ(timesIn(monitor.log(), "The record was damaged"), 1) << monitor.log();
}

// Of it no fault is left when the log looks for one.
TEST(RunningMonitor, WhatBefellTheRecordIsInTheLogAlsoWithoutABroker) {
  const Folder folder(Disk::memory);
  const std::string record = folder.at("yard.sqlite");
  std::ofstream(record + ".backup-1") << "of an earlier record";
  RunningMonitor monitor({kScene, "--record", record});
  EXPECT_TRUE(monitor.says("the record: There was no record any more, only what belonged to one"))
      << monitor.log();
  EXPECT_EQ(monitor.end(SIGTERM), 0) << monitor.log();
}

TEST(RunningMonitor, SystemdIsToldOfBeginningLifeReloadAndEnd) {
  NoticeSocket systemd;
  RunningMonitor monitor({kScene}, {"NOTIFY_SOCKET=" + systemd.path(), "WATCHDOG_USEC=2000000"});
  EXPECT_EQ(systemd.next(""), "READY=1");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(systemd.next("WATCHDOG="), "WATCHDOG=1");
  EXPECT_NE(systemd.next("STATUS=").find("yard"), std::string::npos);
  monitor.tell(SIGHUP);
  EXPECT_NE(systemd.next("RELOADING=1").find("\nMONOTONIC_USEC="), std::string::npos);
  EXPECT_EQ(systemd.next("READY="), "READY=1");
  EXPECT_EQ(systemd.next("WATCHDOG="), "WATCHDOG=1");  // of the engine that came after
  monitor.tell(SIGTERM);
  EXPECT_EQ(systemd.next("STOPPING="), "STOPPING=1");
  EXPECT_EQ(monitor.end(SIGTERM), 0) << monitor.log();
}

// A large model takes longer to read than the watchdog waits; a pipe that nobody writes to takes
// for ever.
TEST(RunningMonitor, TheWatchdogIsToldOfTheEngineWhileAModelIsRead) {
  const Folder folder(Disk::memory);
  const std::string model = folder.at("model.onnx");
  std::filesystem::copy_file(modelFile("segmenter_mask.onnx"), model);
  NoticeSocket systemd;
  RunningMonitor monitor({kScene, "--model", model},
                         {"NOTIFY_SOCKET=" + systemd.path(), "WATCHDOG_USEC=2000000"});
  EXPECT_EQ(systemd.next(""), "READY=1");
  std::filesystem::remove(model);
  ASSERT_EQ(mkfifo(model.c_str(), 0600), 0);
  monitor.tell(SIGHUP);
  EXPECT_NE(systemd.next("RELOADING=1"), "");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(systemd.next(""), "WATCHDOG=1");
  monitor.tell(SIGTERM);  // which ends the wait as well
  EXPECT_EQ(systemd.next("STOPPING="), "STOPPING=1");
  EXPECT_EQ(monitor.end(SIGTERM), 0) << monitor.log();
}

// Into a file, as into a journal: they stayed in a buffer that went with its process.
TEST(RunningMonitor, FFmpegsOwnWordsAreInTheLogWhereTheyAreAskedFor) {
  if (!cv::videoio_registry::hasBackend(cv::CAP_FFMPEG)) {
    GTEST_SKIP() << "this OpenCV was built without FFmpeg";
  }
  RunningMonitor monitor({"gate=http://127.0.0.1:1/x"}, {"OPENCV_FFMPEG_LOGLEVEL=16"});
  EXPECT_TRUE(monitor.says("[OPENCV:FFMPEG")) << monitor.log();
}

// Two seconds on a machine with nothing else to do.
TEST(RunningMonitor, EndsSoonAfterSigtermAndSigint) {
  const Folder folder(Disk::memory);
  for (const int signal : {SIGTERM, SIGINT}) {
    RunningMonitor monitor({kScene, "/nowhere/camera.mp4", "--http", "0", "--record",
                            folder.at("yard.sqlite"), "--mqtt", "mqtt://127.0.0.1:1"});
    ASSERT_TRUE(monitor.says("the light is")) << monitor.log();
    const auto asked = std::chrono::steady_clock::now();
    EXPECT_EQ(monitor.end(signal), 0) << monitor.log();
    // Its service is killed then: TimeoutStopSec.
    EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(30));
  }
}

}  // namespace
}  // namespace mpm::test
