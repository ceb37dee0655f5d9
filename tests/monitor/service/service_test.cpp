// SPDX-License-Identifier: Apache-2.0
// What listens to an engine: what it records, publishes and runs.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <thread>

#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"
#include "monitor/record/record_reader.h"
#include "monitor/service/actions.h"
#include "monitor/service/publishing.h"
#include "monitor/service/recorder.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;
namespace fs = std::filesystem;
using std::chrono::milliseconds;

class Service : public testing::Test {
 protected:
  Service() {
    folder_ = fs::temp_directory_path() /
              ("mpm-service-" + std::to_string(getpid()) + "-" + std::to_string(counter_++));
    fs::create_directories(folder_);
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
    for (int i = 0; i < 2000 && !engine_->done(); ++i) std::this_thread::sleep_for(milliseconds(5));
    ASSERT_TRUE(engine_->done());
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

 private:
  static inline int counter_ = 0;
};

TEST_F(Service, ARecorderPutsSeriesEventsAndSnapshotsIntoTheRecord) {
  const std::string path = (folder_ / "gate.sqlite").string();
  {
    Record record(path);
    Recorder recorder(record);
    recorder.begin(0, facts(), StubNetwork().palette());
    run({&recorder});
    ASSERT_TRUE(record.flush(10000));
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

TEST_F(Service, ARuleRunsItsCommand) {
  Commands commands;
  Actions actions({"gate"}, commands, nullptr);
  run({&actions});
  std::string text;
  for (int i = 0; i < 2000 && text.empty(); ++i) {
    std::this_thread::sleep_for(milliseconds(5));
    std::ifstream file(folder_ / "ran");
    std::getline(file, text);
  }
  EXPECT_TRUE(text == "bright began" || text == "bright ended") << text;
}

TEST_F(Service, WhatIsPublished) {
  Publishing publishing("1.2", "stub.onnx", nullptr, nullptr, systemClock());
  run({&publishing});
  const PublishedState state = publishing.state(*engine_);
  ASSERT_EQ(state.sources.size(), 1u);
  const PublishedSource& source = state.sources[0];
  EXPECT_EQ(source.name, "gate");
  EXPECT_EQ(source.frames, 60u);
  std::uint64_t frames = 0;
  for (const std::uint64_t light : source.lightFrames) frames += light;
  EXPECT_EQ(frames, 60u);
  ASSERT_TRUE(source.latest);
  EXPECT_EQ(source.latest->values.size(), source.metrics.size());
  EXPECT_EQ(source.rules, (std::vector<std::pair<std::string, bool>>{{"bright", false}}));
  const cv::Mat picture = cv::imdecode(publishing.picture(*engine_, "gate"), cv::IMREAD_COLOR);
  EXPECT_EQ(picture.size(), cv::Size(64, 48));
  EXPECT_TRUE(publishing.picture(*engine_, "nobody").empty());
}

}  // namespace
}  // namespace mpm::test
