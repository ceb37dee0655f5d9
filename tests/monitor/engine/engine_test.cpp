// SPDX-License-Identifier: Apache-2.0
// The engine with a net that is none: what it hands out, in which order, what it survives, and when
// rules begin and end.
#include "monitor/engine/engine.h"

#include <numeric>

#include "monitor/engine/engine_case.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;
using Names = std::vector<std::string>;

class EngineTest : public EngineCase {};

// A noisy wall of which most is white between the 100th and the 160th second; two frames a second.
std::unique_ptr<Reader> glaredReader() {
  return std::make_unique<MadeReader>(400, 500, [chance = cv::RNG(3)](int frame) mutable {
    cv::Mat picture(48, 64, CV_8UC3);
    chance.fill(picture, cv::RNG::UNIFORM, cv::Scalar(90, 110, 130), cv::Scalar(110, 130, 150));
    if (frame >= 200 && frame < 320) picture.rowRange(0, 36).setTo(cv::Scalar::all(255));
    return picture;
  });
}

TEST_F(EngineTest, TellsFaultsOfTheCameraAndMarksTheSeries) {
  for (const bool watchCamera : {false, true}) {
    EngineOptions options = watching(glaredReader, true);
    options.watchCamera = watchCamera;
    watch(options);
    EXPECT_EQ(heard_.firings,
              watchCamera ? Names({"camera exposure began", "camera exposure ended"}) : Names());
    EXPECT_EQ(heard_.of("camera exposure").size(), watchCamera ? 2u : 0u);
    const std::size_t place = engine_->metrics().find("camera_faults").value();
    EXPECT_EQ(heard_.seconds.at(150000).tallies[place].sum, watchCamera ? 2 : 0);
    EXPECT_EQ(heard_.seconds.at(90000).tallies[place].sum, 0);
  }
}

TEST_F(EngineTest, AReplayHandsOutEveryFrameInOrderAndThenIsDone) {
  watch(watching({.frames = 25}));
  ASSERT_EQ(heard_.results.size(), 25u);
  for (std::size_t i = 0; i < 25; ++i) {
    const FrameResult& result = *heard_.results[i];
    EXPECT_EQ(result.frame.positionMs, static_cast<std::int64_t>(i) * 100);
    EXPECT_EQ(result.figures.values.size(), engine_->metrics().size());
    EXPECT_EQ(result.schedule, (Schedule{2, 5}));
  }
  std::uint64_t frames = 0;
  for (const auto& [start, bucket] : heard_.seconds)
    frames += std::accumulate(bucket.frames.begin(), bucket.frames.end(), 0u);
  EXPECT_EQ(frames, 25u);
  EXPECT_EQ(heard_.seconds.size(), 3u);
  EXPECT_EQ(engine_->latest(), heard_.results.back());
  EXPECT_EQ(engine_->frames(), 25u);
}

// What figures depend on: whoever compares them has to know from which frame on it is another.
TEST_F(EngineTest, AnotherScheduleAndAFilterAreEventsAndWhatTheNetAndEverybodySees) {
  begin(watching(livePlan()));
  ASSERT_TRUE(goesOn(4));
  engine_->setSchedule({1, 3});
  EXPECT_TRUE(isTold("schedule 1,3"));
  ASSERT_TRUE(becomes([](auto& newest) { return newest.schedule == Schedule{1, 3}; }));
  EXPECT_EQ(engine_->latest()->segmentation.rows.size(), 3u);
  EXPECT_THROW(engine_->setSchedule({StubNetwork::kBlocks}), std::invalid_argument);
  EXPECT_EQ(engine_->schedule(), (Schedule{1, 3}));
  engine_->setFilter([](const cv::Mat& picture) -> cv::Mat {
    return cv::Mat(picture.size(), picture.type(), cv::Scalar::all(255));
  });
  EXPECT_TRUE(isTold("filter on"));
  EXPECT_TRUE(becomes([](auto& newest) {
    return newest.filtered && newest.frame.picture.template at<cv::Vec3b>(0, 0)[0] == 255;
  }));
  EXPECT_EQ(engine_->latest()->segmentation.labels.at<uchar>(0, 0), 3);
  engine_->setFilter({});
  EXPECT_TRUE(isTold("filter off"));
  engine_->setSchedule({});
  EXPECT_TRUE(isTold("schedule none"));
}

TEST_F(EngineTest, ACameraGivesNoMoreFramesThanAreWantedAndAReplayAll) {
  EngineOptions options = watching(livePlan());
  options.mostFps = 2;
  ManualClock clock(1000000);
  Engine engine(options, std::make_shared<StubNetwork>(), {&heard_}, clock);
  for (std::uint64_t frames = 1; frames <= 3; ++frames) {
    ASSERT_TRUE(eventually([&] { return engine.frames() == frames; }));
    clock.advance(499);
    EXPECT_TRUE(eventually(
        [&, from = engine.capture().frames] { return engine.capture().frames > from + 50; }));
    EXPECT_EQ(engine.frames(), frames);
    clock.advance(1);
  }
  engine.stop();
  heard_.results.clear();
  options = watching({.frames = 20});
  options.mostFps = 2;
  watch(options);
  EXPECT_EQ(heard_.results.size(), 20u);
}

// Seen with converted files: nobody was told.
TEST_F(EngineTest, AScheduleThatTheNetRefusesIsToldUntilThereIsAnother) {
  const auto network = std::make_shared<StubNetwork>();
  network->mergeable = {1, 2, 5};
  EngineOptions options = watching(livePlan());
  for (const bool fromTheStart : {false, true}) {
    if (fromTheStart) options.schedule = Schedule{3};
    begin(options, network);
    ASSERT_TRUE(goesOn(4));
    if (!fromTheStart) engine_->setSchedule({3});
    ASSERT_TRUE(eventually([&] { return !engine_->scheduleFault().empty(); }));
    EXPECT_EQ(engine_->scheduleFault(), "merge before 3: the net can only merge before 1,2,5");
    EXPECT_EQ(engine_->schedule(), (fromTheStart ? Schedule{1} : Schedule{2, 5}));
    ASSERT_TRUE(goesOn(2));
    EXPECT_EQ(engine_->latest()->schedule, engine_->schedule());
    EXPECT_NE(engine_->scheduleFault(), "") << "frames go on";
    EXPECT_EQ(engine_->fault(), "");
    engine_->setSchedule({1});
    EXPECT_EQ(engine_->scheduleFault(), "");
    EXPECT_TRUE(becomes([](auto& newest) { return newest.schedule == Schedule{1}; }));
    EXPECT_EQ(engine_->scheduleFault(), "");
  }
  options.schedule = Schedule{StubNetwork::kBlocks};
  EXPECT_THROW(begin(options), std::invalid_argument);
}

TEST_F(EngineTest, FullTokensBesideMergedOnesWhereTheyAreAskedFor) {
  begin(watching(livePlan()));
  ASSERT_TRUE(goesOn(1));
  EXPECT_FALSE(engine_->latest()->full);
  engine_->setCompare(Compare::always);
  ASSERT_TRUE(becomes([](auto& newest) { return newest.full.has_value(); }));
  EXPECT_EQ(engine_->latest()->full->rows, std::vector<int>{65});
  EXPECT_EQ(engine_->latest()->segmentation.rows.size(), 3u);
}

TEST_F(EngineTest, ANetThatFailsIsToldAndTriedAgain) {
  const auto network = std::make_shared<StubNetwork>();
  begin(watching(livePlan()), network);
  ASSERT_TRUE(goesOn(1));
  network->failing = true;
  ASSERT_TRUE(eventually([&] { return !engine_->fault().empty(); }));
  EXPECT_EQ(engine_->fault(), "the net is out of order");
  network->failing = false;
  ASSERT_TRUE(eventually([&] { return engine_->fault().empty(); }));
  EXPECT_TRUE(goesOn(1));
}

// Of frames that are a second apart.
TEST_F(EngineTest, AModelThatFailsIsAnEventWhenItBeginsAndWhenItEnds) {
  const auto told = [&](int frames, const std::function<bool(int)>& fails) {
    heard_.events.clear();
    watch(watching({.frames = frames, .stepMs = 1000}), std::make_unique<Failing>(fails));
    return heard_.of("model");
  };
  const auto once = told(30, [](int frame) { return frame >= 5 && frame < 10; });
  ASSERT_EQ(once.size(), 2u);
  EXPECT_EQ(once[0].name, "fails");
  EXPECT_EQ(once[0].text, "the model fails on its frames: it fell over somewhere");
  EXPECT_EQ(once[0].at.steadyMs, 5000);
  EXPECT_EQ(once[1].name, "works");
  EXPECT_EQ(once[1].text, "the model labels its frames again");
  EXPECT_EQ(once[1].at.steadyMs, 10000) << "since when, whenever it is told";
  EXPECT_EQ(told(60, [](int frame) { return frame % 3 == 1; }).size(), 2u) << "now and then";
  EXPECT_EQ(told(60, [](int frame) { return frame % 20 == 0; }).size(), 6u);
  const auto never = told(20, [](int) { return true; });
  ASSERT_EQ(never.size(), 1u) << "it never worked";
  EXPECT_EQ(never[0].name, "fails");
}

// From the reader's return until all is known of the frame, by the engine's clock.
TEST_F(EngineTest, AFrameIsAsOldAsItSays) {
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
  Engine engine(watching(livePlan()), std::make_unique<Slow>(clock), {&heard_}, clock);
  ASSERT_TRUE(goesOn(41));
  engine.stop();
  const std::size_t place = *engine.metrics().find("frame_age_ms");
  for (const FrameResultPtr& result : heard_.results) {
    const double told = result->figures.values.at(place);
    EXPECT_GE(told, 70);  // more where the frame waited for the one before it
    EXPECT_EQ(told, static_cast<double>(result->readyMs - result->frame.taken.steadyMs));
  }
}

TEST_F(EngineTest, ASourceNeedsAName) {
  for (const char* name : {"", "a b"})
    EXPECT_THROW(begin(watching(StubReaderPlan(), named(name))), std::invalid_argument) << name;
}

TEST_F(EngineTest, TasksRunWithTheNet) {
  begin(watching(StubReaderPlan()));
  std::future<void> done = engine_->withNetwork([](Network& network) { network.setSchedule({3}); });
  ASSERT_EQ(done.wait_for(std::chrono::seconds(120)), std::future_status::ready);
  EXPECT_NO_THROW(done.get());
  std::future<void> failed =
      engine_->withNetwork([](Network&) { throw std::runtime_error("no such thing"); });
  EXPECT_THROW(failed.get(), std::runtime_error);
}

// Of each of the first four cameras its first picture and one of a second later.
TEST(FirstPictures, AreTwoOfACameraOfFourAtMost) {
  using std::chrono::milliseconds;
  const auto picturesOf = [](std::size_t cameras, int frames, milliseconds patience) {
    const std::vector<EngineOptions> all(cameras, watching({.frames = frames}));
    return firstPictures(all, patience).size();
  };
  constexpr milliseconds kPatience{120000};
  // A busy machine may bring no other within the second.
  EXPECT_TRUE(eventually([&] { return picturesOf(2, 20, kPatience) == 4; }));
  EXPECT_EQ(picturesOf(1, 1, kPatience), 1u);
  EXPECT_EQ(picturesOf(6, 1, kPatience), 4u);
  EXPECT_EQ(picturesOf(1, 0, milliseconds(200)), 0u);
}

using Held = std::vector<std::pair<std::string, bool>>;

TEST_F(EngineTest, RulesFireAndEventsAreTold) {
  begin(watching({.frames = 30}, named("gate", {metricRule("bright", "area.bright", 0.5)})));
  ASSERT_TRUE(eventually([&] { return engine_->done(); }));
  // Frame 28 is the first one of 192 and more; it goes on to 29, the last.
  EXPECT_EQ(heard_.firings, (Names{"bright began", "bright ended"}));
  EXPECT_EQ(engine_->rules(), (Held{{"bright", false}}));
  EXPECT_FALSE(heard_.of("rule bright").empty());
}

TEST_F(EngineTest, TimeInWhichTheModelFailedDoesNotCountAsHeld) {
  for (const int frames : {15, 16}) {  // it was seen from 0 to 1 s, and from 12 s to 14 or 15 s
    watch(watching({.frames = frames, .stepMs = 1000},
                   named("gate", {metricRule("always", "confidence", 0.1, 4000)})),
          std::make_unique<Failing>([](int frame) { return frame >= 2 && frame < 12; }));
    EXPECT_EQ(std::count(heard_.firings.begin(), heard_.firings.end(), "always began"),
              frames - 15);
  }
}

// After a power cut the camera may be back later than the monitor, or never.
TEST_F(EngineTest, ACameraThatIsAwayFromTheStartIsSilentSinceThen) {
  class Away : public StubReader {
   public:
    explicit Away(std::shared_ptr<std::atomic<bool>> isThere)
        : StubReader(livePlan()), isThere_(std::move(isThere)) {}
    bool open() override { return *isThere_; }

   private:
    std::shared_ptr<std::atomic<bool>> isThere_;
  };
  class Silence : public EngineListener {
   public:
    void onFiring(const std::string&, const Rule&, const Firing& firing,
                  const FrameResultPtr& newest) override {
      const std::lock_guard lock(mutex);
      told.push_back(firing.text);
      EXPECT_EQ(newest == nullptr, firing.began);
    }
    void onSilence(const std::string&, const Moment& now) override { silentMs = now.steadyMs; }
    std::size_t count() {
      const std::lock_guard lock(mutex);
      return told.size();
    }
    std::mutex mutex;
    Names told;
    std::atomic<std::int64_t> silentMs{0};
  };
  const auto isThere = std::make_shared<std::atomic<bool>>(false);
  EngineOptions options = watching([isThere] { return std::make_unique<Away>(isThere); }, false,
                                   named("gate", {staleRule(60000)}));
  options.capture.firstWaitMs = options.capture.longestWaitMs = 10;
  ManualClock clock(1000000);
  Silence heard;
  Engine engine(options, std::make_unique<StubNetwork>(), {&heard}, clock);
  clock.advance(60000);
  ASSERT_TRUE(eventually([&] { return heard.count() == 1; }));
  EXPECT_EQ(heard.told[0], "Rule 'lost' began: no frame has come for 1 min.");
  EXPECT_TRUE(eventually([&] { return heard.silentMs == 60000; }));
  *isThere = true;
  ASSERT_TRUE(eventually([&] { return heard.count() == 2; }));
  EXPECT_EQ(engine.rules(), (Held{{"lost", false}}));
}

}  // namespace
}  // namespace mpm::test
