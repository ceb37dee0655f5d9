// SPDX-License-Identifier: Apache-2.0
// The engine with a net that is none: what it hands out, in which order, what it survives, and when
// rules begin and end.

#include "monitor/engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "monitor/clock/manual_clock.h"
#include "monitor/engine/engine_case.h"
#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"
#include "monitor/eventually.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

// A noisy wall of which most is white between the 100th and the 160th second; two frames a second.
std::unique_ptr<Reader> glaredReader() {
  return std::make_unique<MadeReader>(400, 500, [chance = cv::RNG(3)](int frame) mutable {
    cv::Mat picture(48, 64, CV_8UC3);
    chance.fill(picture, cv::RNG::UNIFORM, cv::Scalar(90, 110, 130), cv::Scalar(110, 130, 150));
    if (frame >= 200 && frame < 320) picture.rowRange(0, 36).setTo(cv::Scalar::all(255));
    return picture;
  });
}

TEST(Engine, TellsFaultsOfTheCameraAndMarksTheSeries) {
  for (const bool watchCamera : {true, false}) {
    Heard heard;
    EngineOptions options = replayOf({});
    options.watchCamera = watchCamera;
    options.makeReader = [](const NamedSource&) { return glaredReader(); };
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
  Heard heard;
  Engine engine(replayOf({.frames = 25}), std::make_unique<StubNetwork>(), {&heard});
  ASSERT_TRUE(eventually([&] { return engine.done(); }));
  ASSERT_EQ(heard.results.size(), 25u);
  for (std::size_t i = 0; i < heard.results.size(); ++i) {
    const FrameResult& result = *heard.results[i];
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
  EXPECT_EQ(engine.latest(0), heard.results.back());
  EXPECT_EQ(engine.frames(0), 25u);
}

// What figures depend on: whoever compares them has to know from which frame on it is another.
TEST(Engine, AnotherScheduleAndAFilterAreEventsOfTheirFirstFrame) {
  Heard heard;
  Engine engine(replayOf(livePlan()), std::make_unique<StubNetwork>(), {&heard});
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

TEST(Engine, SeveralSourcesShareOneNet) {
  Heard heard;
  auto network = std::make_unique<StubNetwork>();
  StubNetwork* stub = network.get();
  Engine engine(replayOf({.frames = 20}, {named("a"), named("b"), named("c")}), std::move(network),
                {&heard});
  ASSERT_TRUE(eventually([&] { return engine.done(); }));
  EXPECT_EQ(stub->segmented, 60);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(engine.frames(i), 20u);
}

TEST(Engine, TheScheduleChangesBetweenTwoFrames) {
  Heard heard;
  Engine engine(replayOf(livePlan()), std::make_unique<StubNetwork>(), {&heard});
  ASSERT_TRUE(eventually([&] { return heard.count() > 3; }));
  engine.setSchedule({1});
  ASSERT_TRUE(eventually([&] { return engine.latest(0)->schedule == Schedule{1}; }));
  EXPECT_EQ(engine.latest(0)->segmentation.rows.size(), 2u);
  EXPECT_THROW(engine.setSchedule({StubNetwork::kBlocks}), std::invalid_argument);
  EXPECT_EQ(engine.schedule(), Schedule{1});
}

// Seen with converted files: nobody was told.
TEST(Engine, AScheduleThatTheNetRefusesIsToldUntilThereIsAnother) {
  Heard heard;
  auto network = std::make_unique<StubNetwork>();
  network->mergeable = {1, 2, 5};
  Engine engine(replayOf(livePlan()), std::move(network), {&heard});
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
  Heard heard;
  Engine engine(replayOf(livePlan()), std::make_unique<StubNetwork>(), {&heard});
  ASSERT_TRUE(eventually([&] { return heard.count() > 0; }));
  EXPECT_FALSE(engine.latest(0)->full);
  engine.setCompare(Compare::always);
  ASSERT_TRUE(eventually([&] { return engine.latest(0)->full.has_value(); }));
  EXPECT_EQ(engine.latest(0)->full->rows, std::vector<int>{65});
  EXPECT_EQ(engine.latest(0)->segmentation.rows.size(), 3u);
}

TEST(Engine, AFilterIsWhatTheNetAndEverybodySees) {
  Heard heard;
  Engine engine(replayOf(livePlan()), std::make_unique<StubNetwork>(), {&heard});
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
  Heard heard;
  auto network = std::make_unique<StubNetwork>();
  StubNetwork* stub = network.get();
  Engine engine(replayOf(livePlan()), std::move(network), {&heard});
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
  Engine engine(replayOf({.frames = frames, .stepMs = 1000}), std::make_unique<Failing>(fails),
                {&heard});
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
  Heard heard;
  Engine engine(replayOf(livePlan()), std::make_unique<Slow>(clock), {&heard}, clock);
  ASSERT_TRUE(eventually([&] { return heard.count() > 40; }));
  engine.stop();
  const std::size_t place = *engine.metrics(0).find("frame_age_ms");
  for (const FrameResultPtr& result : heard.results) {
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

// Of each of the first four sources its first picture and one of a second later.
TEST(FirstPictures, AreTwoOfASourceOfFourAtMost) {
  using std::chrono::milliseconds;
  const auto picturesOf = [](std::size_t sources, int frames, milliseconds patience) {
    std::vector<NamedSource> all;
    for (std::size_t i = 0; i < sources; ++i) all.push_back(named("camera" + std::to_string(i)));
    return firstPictures(replayOf({.frames = frames}, all), patience).size();
  };
  constexpr milliseconds kPatience{120000};
  // A busy machine may bring no other within the second.
  EXPECT_TRUE(eventually([&] { return picturesOf(2, 20, kPatience) == 4; }));
  EXPECT_EQ(picturesOf(1, 1, kPatience), 1u);
  EXPECT_EQ(picturesOf(6, 1, kPatience), 4u);
  EXPECT_EQ(picturesOf(1, 0, milliseconds(200)), 0u);
}

Rule above(const std::string& name, const std::string& metric, double limit) {
  Rule rule;
  rule.name = name;
  rule.metric = metric;
  rule.above = limit;
  return rule;
}
Rule always() { return above("always", "confidence", 0.1); }

NamedSource ruled(const Rule& rule) {
  NamedSource source = named("gate");
  source.book.rules = {rule};
  return source;
}

TEST(Engine, RulesFireAndEventsAreTold) {
  Heard heard;
  const Rule rule = above("bright", "area.bright", 0.5);
  Engine engine(replayOf({.frames = 30}, {ruled(rule)}), std::make_unique<StubNetwork>(), {&heard});
  ASSERT_TRUE(eventually([&] { return engine.done(); }));
  // Frame 28 is the first one of 192 and more; it goes on to 29, the last.
  EXPECT_EQ(heard.firings, (std::vector<std::string>{"bright began", "bright ended"}));
  EXPECT_EQ(engine.rules(0), (Held{{"bright", false}}));
  EXPECT_NE(std::find(heard.events.begin(), heard.events.end(), "rule bright"), heard.events.end());
}

TEST(Engine, TimeInWhichTheModelFailedDoesNotCountAsHeld) {
  for (const int frames : {15, 16}) {  // it was seen from 0 to 1 s, and from 12 s to 14 or 15 s
    Heard heard;
    Rule rule = always();
    rule.dwellMs = 4000;
    const auto fails = [](int frame) { return frame >= 2 && frame < 12; };
    Engine engine(replayOf({.frames = frames, .stepMs = 1000}, {ruled(rule)}),
                  std::make_unique<Failing>(fails), {&heard});
    ASSERT_TRUE(eventually([&] { return engine.done(); }));
    engine.stop();
    EXPECT_EQ(std::count(heard.firings.begin(), heard.firings.end(), "always began"), frames - 15);
  }
}

// After a power cut the camera may be back later than the monitor, or never.
TEST(Engine, ACameraThatIsAwayFromTheStartIsSilentSinceThen) {
  class Away : public StubReader {
   public:
    Away(const StubReaderPlan& plan, std::shared_ptr<std::atomic<bool>> isThere)
        : StubReader(plan), isThere_(std::move(isThere)) {}
    bool open() override { return *isThere_; }

   private:
    std::shared_ptr<std::atomic<bool>> isThere_;
  };
  class Silence : public EngineListener {
   public:
    void onFiring(std::size_t, const Rule&, const Firing& firing,
                  const FrameResultPtr& newest) override {
      const std::lock_guard lock(mutex);
      told.push_back(firing.text);
      EXPECT_EQ(newest == nullptr, firing.began);
    }
    void onSilence(std::size_t, const Moment& now) override { silentMs = now.steadyMs; }
    std::size_t count() {
      const std::lock_guard lock(mutex);
      return told.size();
    }
    std::mutex mutex;
    std::vector<std::string> told;
    std::atomic<std::int64_t> silentMs{0};
  };
  const auto isThere = std::make_shared<std::atomic<bool>>(false);
  Rule rule;
  rule.name = "lost";
  rule.stale = true;
  rule.dwellMs = 60000;
  StubReaderPlan plan = livePlan();
  EngineOptions options = replayOf(plan, {ruled(rule)});
  options.capture.firstWaitMs = options.capture.longestWaitMs = 10;
  options.makeReader = [&](const NamedSource&) { return std::make_unique<Away>(plan, isThere); };
  ManualClock clock(1000000);
  Silence heard;
  Engine engine(options, std::make_unique<StubNetwork>(), {&heard}, clock);
  clock.advance(60000);
  ASSERT_TRUE(eventually([&] { return heard.count() == 1; }));
  EXPECT_EQ(heard.told[0], "Rule 'lost' began: no frame has come for 1 min.");
  EXPECT_TRUE(eventually([&] { return heard.silentMs == 60000; }));
  *isThere = true;
  ASSERT_TRUE(eventually([&] { return heard.count() == 2; }));
  EXPECT_EQ(engine.rules(0), (Held{{"lost", false}}));
}

}  // namespace
}  // namespace mpm::test
