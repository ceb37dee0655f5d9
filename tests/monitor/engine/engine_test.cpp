// SPDX-License-Identifier: Apache-2.0
// The engine with a net that is none: what it hands out, in which order, and what it survives.
#include "monitor/engine/engine.h"

#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <numeric>
#include <utility>

#include "monitor/clock/manual_clock.h"
#include "monitor/engine/engine_case.h"
#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"
#include "monitor/eventually.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

// A noisy wall of which most is white between the 100th and the 160th second; two frames a second.
class GlaredReader : public Reader {
 public:
  bool open() override { return true; }
  ReadStatus read(Shot& shot) override {
    if (next_ == 400) return ReadStatus::ended;
    const bool isWhite = next_ >= 200 && next_ < 320;
    shot.picture = cv::Mat(48, 64, CV_8UC3);
    chance_.fill(shot.picture, cv::RNG::UNIFORM, cv::Scalar(90, 110, 130),
                 cv::Scalar(110, 130, 150));
    if (isWhite) shot.picture.rowRange(0, 36).setTo(cv::Scalar::all(255));
    shot.positionMs = 500 * next_++;
    return ReadStatus::frame;
  }
  const std::string& fault() const override { return fault_; }
  bool isLive() const override { return false; }

 private:
  int next_ = 0;
  cv::RNG chance_{3};
  std::string fault_;
};

TEST(Engine, TellsFaultsOfTheCameraAndMarksTheSeries) {
  for (const bool watchCamera : {true, false}) {
    EngineEar heard;
    EngineOptions options = replayOf({});
    options.watchCamera = watchCamera;
    options.makeReader = [](const NamedSource&) { return std::make_unique<GlaredReader>(); };
    Engine engine(options, std::make_unique<StubNetwork>(), {&heard});
    ASSERT_TRUE(eventually([&] { return engine.done(); }));
    const std::vector<std::string> both{"camera exposure began", "camera exposure ended"};
    EXPECT_EQ(heard.firings, watchCamera ? both : std::vector<std::string>{});
    EXPECT_EQ(std::count(heard.events.begin(), heard.events.end(), "camera exposure"),
              watchCamera ? 2 : 0);
    const std::size_t place = engine.metrics(0).find("camera_faults").value();
    EXPECT_EQ(heard.seconds.at(150000).tallies[place].sum, watchCamera ? 2 : 0);
    EXPECT_EQ(heard.seconds.at(90000).tallies[place].sum, 0);
  }
}

TEST(Engine, AReplayHandsOutEveryFrameInOrderAndThenIsDone) {
  EngineEar heard;
  StubReaderPlan plan;
  plan.frames = 25;
  Engine engine(replayOf(plan), std::make_unique<StubNetwork>(), {&heard});
  ASSERT_TRUE(eventually([&] { return engine.done(); }));
  ASSERT_EQ(heard.results.size(), 25u);
  for (std::size_t i = 0; i < heard.results.size(); ++i) {
    const FrameResult& result = *heard.results[i].second;
    EXPECT_EQ(result.frame.positionMs, static_cast<std::int64_t>(i) * 100);
    EXPECT_EQ(result.figures.values.size(), engine.metrics(0).size());
    EXPECT_EQ(result.schedule, (Schedule{2, 5}));
  }
  std::uint64_t frames = 0;
  for (const auto& [start, bucket] : heard.seconds) {
    frames += std::accumulate(bucket.frames.begin(), bucket.frames.end(), 0u);
  }
  EXPECT_EQ(frames, 25u);
  EXPECT_EQ(heard.seconds.size(), 3u);
  EXPECT_EQ(engine.latest(0), heard.results.back().second);
  EXPECT_EQ(engine.frames(0), 25u);
}

// What figures depend on: whoever compares them has to know from which frame on it is another.
TEST(Engine, AnotherScheduleAndAFilterAreEventsOfTheirFirstFrame) {
  EngineEar heard;
  StubReaderPlan plan;
  plan.frames = 1 << 20;
  plan.live = true;
  Engine engine(replayOf(plan), std::make_unique<StubNetwork>(), {&heard});
  const auto isHeard = [&](const std::string& event) {
    return eventually([&] {
      const std::lock_guard lock(heard.mutex);
      return std::count(heard.events.begin(), heard.events.end(), event) == 1;
    });
  };
  engine.setSchedule({1, 3, 5});
  EXPECT_TRUE(isHeard("schedule 1,3,5"));
  engine.setFilter([](const cv::Mat& picture) { return picture.clone(); });
  EXPECT_TRUE(isHeard("filter on"));
  EXPECT_TRUE(eventually([&] { return engine.latest(0)->filtered; }));
  engine.setFilter({});
  EXPECT_TRUE(isHeard("filter off"));
  engine.setSchedule({});
  EXPECT_TRUE(isHeard("schedule none"));
}

TEST(Engine, TwoReplaysGiveTheSameFigures) {
  std::vector<std::vector<double>> figures[2];
  for (auto& run : figures) {
    EngineEar heard;
    StubReaderPlan plan;
    plan.frames = 60;
    Engine engine(replayOf(plan), std::make_unique<StubNetwork>(), {&heard});
    ASSERT_TRUE(eventually([&] { return engine.done(); }));
    for (const auto& [source, result] : heard.results) {
      run.push_back(result->figures.values);
      for (double& value : run.back()) value = std::isnan(value) ? -1 : value;
    }
  }
  ASSERT_EQ(figures[0].size(), 60u);
  EXPECT_EQ(figures[0], figures[1]);
}

TEST(Engine, SeveralSourcesShareOneNet) {
  EngineEar heard;
  StubReaderPlan plan;
  plan.frames = 20;
  auto network = std::make_unique<StubNetwork>();
  StubNetwork* stub = network.get();
  Engine engine(replayOf(plan, {named("a"), named("b"), named("c")}), std::move(network), {&heard});
  ASSERT_TRUE(eventually([&] { return engine.done(); }));
  EXPECT_EQ(stub->segmented, 60);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(engine.frames(i), 20u);
}

TEST(Engine, TheScheduleChangesBetweenTwoFrames) {
  EngineEar heard;
  StubReaderPlan plan;
  plan.frames = 1 << 20;
  plan.live = true;
  Engine engine(replayOf(plan), std::make_unique<StubNetwork>(), {&heard});
  ASSERT_TRUE(eventually([&] { return heard.count() > 3; }));
  engine.setSchedule({1});
  ASSERT_TRUE(eventually([&] { return engine.latest(0)->schedule == Schedule{1}; }));
  EXPECT_EQ(engine.latest(0)->segmentation.rows.size(), 2u);
  EXPECT_THROW(engine.setSchedule({StubNetwork::kBlocks}), std::invalid_argument);
  EXPECT_EQ(engine.schedule(), Schedule{1});
}

// Seen with converted files: nobody was told.
TEST(Engine, AScheduleThatTheNetRefusesIsToldUntilThereIsAnother) {
  EngineEar heard;
  StubReaderPlan plan;
  plan.frames = 1 << 20;
  plan.live = true;
  auto network = std::make_unique<StubNetwork>();
  network->mergeable = {1, 2, 5};
  Engine engine(replayOf(plan), std::move(network), {&heard});
  ASSERT_TRUE(eventually([&] { return heard.count() > 3; }));
  engine.setSchedule({3});
  ASSERT_TRUE(eventually([&] { return !engine.scheduleFault().empty(); }));
  EXPECT_EQ(engine.scheduleFault(), "merge before 3: the net can only merge before 1,2,5");
  EXPECT_EQ(engine.schedule(), (Schedule{2, 5}));
  const std::size_t frames = heard.count();
  ASSERT_TRUE(eventually([&] { return heard.count() > frames + 1; }));
  EXPECT_NE(engine.scheduleFault(), "") << "frames go on";
  EXPECT_EQ(engine.fault(), "");
  engine.setSchedule({1});
  EXPECT_EQ(engine.scheduleFault(), "");
  EXPECT_TRUE(eventually([&] { return engine.latest(0)->schedule == Schedule{1}; }));
  EXPECT_EQ(engine.scheduleFault(), "");
}

TEST(Engine, FullTokensBesideMergedOnesWhereTheyAreAskedFor) {
  EngineEar heard;
  StubReaderPlan plan;
  plan.frames = 1 << 20;
  plan.live = true;
  Engine engine(replayOf(plan), std::make_unique<StubNetwork>(), {&heard});
  ASSERT_TRUE(eventually([&] { return heard.count() > 0; }));
  EXPECT_FALSE(engine.latest(0)->full);
  engine.setCompare(Compare::always);
  ASSERT_TRUE(eventually([&] { return engine.latest(0)->full.has_value(); }));
  EXPECT_EQ(engine.latest(0)->full->rows, std::vector<int>{65});
  EXPECT_EQ(engine.latest(0)->segmentation.rows.size(), 3u);
}

TEST(Engine, AFilterIsWhatTheNetAndEverybodySees) {
  EngineEar heard;
  StubReaderPlan plan;
  plan.frames = 1 << 20;
  plan.live = true;
  Engine engine(replayOf(plan), std::make_unique<StubNetwork>(), {&heard});
  engine.setFilter([](const cv::Mat& picture) -> cv::Mat {
    return cv::Mat(picture.size(), picture.type(), cv::Scalar::all(255));
  });
  ASSERT_TRUE(eventually([&] {
    const FrameResultPtr newest = engine.latest(0);
    return newest && newest->frame.picture.at<cv::Vec3b>(0, 0)[0] == 255;
  }));
  EXPECT_EQ(engine.latest(0)->segmentation.labels.at<uchar>(0, 0), 3);
}

TEST(Engine, ANetThatFailsIsToldAndTriedAgain) {
  EngineEar heard;
  StubReaderPlan plan;
  plan.frames = 1 << 20;
  plan.live = true;
  auto network = std::make_unique<StubNetwork>();
  StubNetwork* stub = network.get();
  Engine engine(replayOf(plan), std::move(network), {&heard});
  ASSERT_TRUE(eventually([&] { return heard.count() > 0; }));
  stub->failing = true;
  ASSERT_TRUE(eventually([&] { return !engine.fault().empty(); }));
  EXPECT_EQ(engine.fault(), "the net is out of order");
  stub->failing = false;
  ASSERT_TRUE(eventually([&] { return engine.fault().empty(); }));
  const std::size_t before = heard.count();
  EXPECT_TRUE(eventually([&] { return heard.count() > before; }));
}

// What is told of a model that fails on such frames, which are a second apart.
std::vector<Event> toldOfModel(int frames, const std::function<bool(int frame)>& fails) {
  class Events : public EngineListener {
   public:
    void onEvent(std::size_t, const Event& event) override {
      if (event.kind == "model") events.push_back(event);
    }
    std::vector<Event> events;  // of the engine's thread, until it ends
  };
  Events heard;
  StubReaderPlan plan;
  plan.frames = frames;
  plan.stepMs = 1000;
  Engine engine(replayOf(plan), std::make_unique<Failing>(fails), {&heard});
  EXPECT_TRUE(eventually([&] { return engine.done(); }));
  engine.stop();
  return heard.events;
}

TEST(Engine, AModelThatFailsIsAnEventWhenItBeginsAndWhenItEnds) {
  const auto told = toldOfModel(30, [](int frame) { return frame >= 5 && frame < 10; });
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].name, "fails");
  EXPECT_EQ(told[0].text, "the model fails on its frames: it fell over somewhere");
  EXPECT_EQ(told[0].at.steadyMs, 5000);
  EXPECT_EQ(told[1].name, "works");
  EXPECT_EQ(told[1].text, "the model labels its frames again");
  EXPECT_EQ(told[1].at.steadyMs, 10000) << "since when, whenever it is told";
}

TEST(Engine, AModelThatFailsNowAndThenIsToldOnce) {
  EXPECT_EQ(toldOfModel(60, [](int frame) { return frame % 3 == 1; }).size(), 2u);
  EXPECT_EQ(toldOfModel(60, [](int frame) { return frame % 20 == 0; }).size(), 6u);
  const auto told = toldOfModel(20, [](int) { return true; });
  ASSERT_EQ(told.size(), 1u) << "it never worked";
  EXPECT_EQ(told[0].name, "fails");
}

TEST(Engine, ItEndsWhileASourceHangs) {
  EngineEar heard;
  StubReaderPlan plan;
  plan.frames = 1 << 20;
  plan.live = true;
  plan.hang = std::make_shared<StubHang>();
  {
    Engine engine(replayOf(plan), std::make_unique<StubNetwork>(), {&heard});
    ASSERT_TRUE(eventually([&] { return heard.count() > 0; }));
    plan.hang->hangs = true;
    ASSERT_TRUE(eventually([&] { return plan.hang->waiting == 1; }));
    engine.stop();
  }
  EXPECT_EQ(plan.hang->waiting, 1);  // it was not waited for
  plan.hang->hangs = false;
}

// From the reader's return until all is known of the frame, by the engine's clock.
TEST(Engine, AFrameIsAsOldAsItSays) {
  class Slow : public StubNetwork {
   public:
    explicit Slow(ManualClock& clock) : clock_(clock) {}
    Segmentation segment(const cv::Mat& picture) override {
      clock_.advance(70);
      return StubNetwork::segment(picture);
    }

   private:
    ManualClock& clock_;
  };
  ManualClock clock(1000000);
  EngineEar heard;
  StubReaderPlan plan;
  plan.frames = 1 << 20;
  plan.live = true;
  Engine engine(replayOf(plan), std::make_unique<Slow>(clock), {&heard}, clock);
  ASSERT_TRUE(eventually([&] { return heard.count() > 40; }));
  engine.stop();
  const std::size_t place = *engine.metrics(0).find("frame_age_ms");
  for (const auto& [source, result] : heard.results) {
    const double told = result->figures.values.at(place);
    EXPECT_GE(told, 70);  // more where the frame waited for the one before it
    EXPECT_EQ(told, static_cast<double>(result->readyMs - result->frame.taken.steadyMs));
  }
}

TEST(Engine, SourcesNeedNamesOfTheirOwn) {
  for (const auto& sources : std::vector<std::vector<NamedSource>>{
           {}, {named("")}, {named("a b")}, {named("a"), named("a")}}) {
    EXPECT_THROW(Engine(replayOf({}, sources), std::make_unique<StubNetwork>(), {}),
                 std::invalid_argument);
  }
}

TEST(Engine, TasksRunWithTheNet) {
  StubReaderPlan plan;
  Engine engine(replayOf(plan), std::make_unique<StubNetwork>(), {});
  std::future<void> done = engine.withNetwork([](Network& network) { network.setSchedule({3}); });
  ASSERT_EQ(done.wait_for(std::chrono::seconds(120)), std::future_status::ready);
  EXPECT_NO_THROW(done.get());
  std::future<void> failed =
      engine.withNetwork([](Network&) { throw std::runtime_error("no such thing"); });
  EXPECT_THROW(failed.get(), std::runtime_error);
}

}  // namespace
}  // namespace mpm::test
