// SPDX-License-Identifier: Apache-2.0
// What listens to an engine: what it records, publishes and runs.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <opencv2/imgcodecs.hpp>

#include "monitor/clock/manual_clock.h"
#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"
#include "monitor/eventually.h"
#include "monitor/record/record_reader.h"
#include "monitor/service/actions.h"
#include "monitor/service/recorder.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;
namespace fs = std::filesystem;

class Service : public testing::Test {
 protected:
  Service() {
    std::string name = (fs::temp_directory_path() / "mpm-service-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for a test");
    folder_ = name;
    source_.name = "gate";
    source_.address.text = source_.address.shown = "stub:";
    Rule rule;
    rule.name = "bright";
    rule.metric = "area.bright";
    rule.above = 0.5;
    rule.snapshot = true;
    rule.command = {
        "/bin/sh", "-c",     "printf '%s %s' \"$1\" \"$2\" > \"$0\"", (folder_ / "ran").string(),
        "{rule}",  "{state}"};
    source_.book.rules = {rule};
  }
  ~Service() override { fs::remove_all(folder_); }

  // 60 frames in 6 seconds: from the 29th on to the 37th they are bright.
  void run(const std::vector<EngineListener*>& listeners) {
    EngineOptions options;
    options.sources = {source_};
    options.capture.everyFrame = true;
    options.makeReader = [](const NamedSource&) {
      StubReaderPlan plan;
      plan.frames = 60;
      return std::make_unique<StubReader>(plan);
    };
    engine_ = std::make_unique<Engine>(options, std::make_unique<StubNetwork>(), listeners);
    ASSERT_TRUE(eventually([&] { return engine_->done(); }));
  }

  RunFacts facts() const {
    StubNetwork network;
    RunFacts facts;
    facts.source = "gate";
    facts.model = "stub.onnx";
    facts.modelHash = "1234";
    facts.settings = "{}";
    facts.metrics = engineMetrics(network, {}).names();
    return facts;
  }

  fs::path folder_;
  NamedSource source_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(Service, ARecorderPutsSeriesEventsAndSnapshotsIntoTheRecord) {
  const std::string path = (folder_ / "gate.sqlite").string();
  {
    Record record(path);
    Recorder recorder(record);
    recorder.begin(0, facts(), StubNetwork().palette());
    run({&recorder});
    ASSERT_TRUE(record.flush(120000));
  }
  const RecordReader reader(path);
  const auto seconds =
      reader.buckets("gate", Resolution::second, 0, 1000000, {"live_rows", "luma"});
  ASSERT_EQ(seconds.size(), 6u);
  for (const Bucket& bucket : seconds) EXPECT_EQ(bucket.tallies[0].count, 10u);
  EXPECT_EQ(reader.buckets("gate", Resolution::day, 0, 1000000, {"luma"})[0].tallies[0].count, 60u);
  const auto events = reader.events("gate", 0, 1000000);
  const auto isRule = [](const Event& event) {
    return event.kind == "rule" && event.name == "bright";
  };
  EXPECT_EQ(std::count_if(events.begin(), events.end(), isRule), 2);  // began and ended
  const auto snapshots = reader.snapshots("gate", 0, 1000000);
  ASSERT_EQ(snapshots.size(), 1u);
  EXPECT_EQ(snapshots[0].reason, "bright");
  EXPECT_EQ(cv::imread(snapshots[0].labels, cv::IMREAD_UNCHANGED).at<uchar>(0, 0), 3);
  EXPECT_NE(snapshots[0].facts.find("1234"), std::string::npos);
}

// What Actions tells of commands that fail.
class FailingCommand : public testing::Test {
 protected:
  void fire(Actions& actions, std::vector<std::string> command) {
    Rule rule;
    rule.name = "bright";
    rule.command = std::move(command);
    actions.onFiring(0, rule, Firing{}, nullptr);
  }
  std::vector<std::string> told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  Actions::Tell tell() {
    return [this](std::size_t source, const Event& event) {
      const std::lock_guard lock(mutex_);
      EXPECT_EQ(source, 0u);
      EXPECT_EQ(event.kind, "command");
      EXPECT_EQ(event.name, "bright");
      told_.push_back(event.text);
    };
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> told_;
};

TEST_F(FailingCommand, IsToldOnceAMinuteWithHowManyMoreThereWere) {
  CountingClock clock(1000);
  Actions actions({"gate"}, nullptr, tell(), clock);
  const auto failTimes = [&](std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i) fire(actions, {"/nowhere/alert"});
  };
  failTimes(5);
  ASSERT_TRUE(eventually([&] { return actions.commands().failed == 5; }));
  // It looks once for each, and once more for the one that is told.
  ASSERT_TRUE(eventually([&] { return clock.looks() == 6; }));
  clock.advance(60000);
  failTimes(1);
  ASSERT_TRUE(eventually([&] { return told().size() == 2; }));
  EXPECT_EQ(told()[0], "The command '/nowhere/alert' was not started: No such file or directory.");
  EXPECT_EQ(told()[1], told()[0] + " 4 more have failed since the last report.");
}

TEST_F(FailingCommand, AtTheEndIsToldWithHowManyMoreThereWere) {
  Actions actions({"gate"}, nullptr, tell(), systemClock(), {30000, 1, 64});
  for (int i = 0; i < 4; ++i) fire(actions, {"/bin/sleep", "60"});
  ASSERT_TRUE(eventually([&] { return actions.commands().begun == 1; }));
  actions.end();
  ASSERT_EQ(told().size(), 2u);
  EXPECT_EQ(told()[0], "The command '/bin/sleep' was not started: the monitor ended.");
  EXPECT_EQ(told()[1],
            "3 more commands of this rule failed or did not start since the last report.");
  EXPECT_EQ(actions.commands().failed, 1u);
  EXPECT_EQ(actions.commands().refused, 3u);
}

}  // namespace
}  // namespace mpm::test
