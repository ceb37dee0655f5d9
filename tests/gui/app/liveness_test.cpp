// SPDX-License-Identifier: Apache-2.0
#include "gui/app/liveness.h"

#include <gtest/gtest.h>

#include <QtWidgets>

#include "gui/app/watched.h"
#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"

namespace mpm::gui {
namespace {

test::StubReaderPlan endless() {
  test::StubReaderPlan plan;
  plan.live = true;
  plan.frames = 1'000'000;
  return plan;
}

monitor::EngineOptions oneGate(const test::StubReaderPlan& plan) {
  monitor::EngineOptions options;
  options.source.name = "gate";
  options.makeReader = [plan](const monitor::NamedSource&) {
    return std::make_unique<test::StubReader>(plan);
  };
  return options;
}

// Guards against "Live ..." in the empty tiles of a wall.
TEST(LivenessWords, NothingIsLiveBeforeItsFirstPicture) {
  test::StubReaderPlan plan = endless();
  plan.hang = std::make_shared<test::StubHang>();
  plan.hang->hangs = true;  // until the net is busy
  monitor::Engine engine(oneGate(plan), std::make_unique<test::StubNetwork>(), {});
  std::promise<void> begun, enough;
  const auto busy =
      engine.withNetwork([&begun, until = enough.get_future().share()](monitor::Network&) {
        begun.set_value();
        until.wait();
      });
  begun.get_future().wait();
  plan.hang->hangs = false;
  EXPECT_TRUE(waitFor([&] { return engine.capture().state == monitor::CaptureState::live; }));
  EXPECT_EQ(Liveness::of(engine, 1, false).instead(), "Opening ...");
  EXPECT_EQ(Liveness::ofAll({Liveness::of(engine, 1, false)}), "Opening");
  enough.set_value();
  EXPECT_TRUE(waitFor([&] { return Liveness::of(engine, 1, false).isLive; }));
  EXPECT_EQ(Liveness::ofAll({Liveness::of(engine, 1, false)}), "Live");
}

// Guards against "Live" for two seconds while the model fails on every frame.
TEST(LivenessWords, NothingIsLiveWhoseNewestFrameTheModelFailedOn) {
  auto network = std::make_unique<test::StubNetwork>();
  test::StubNetwork& net = *network;
  net.failing = true;
  monitor::Engine engine(oneGate(endless()), std::move(network), {});
  const auto fails = [&] { return !engine.fault().empty(); };
  ASSERT_TRUE(waitFor(fails));
  EXPECT_EQ(Liveness::of(engine, 1, false).state, "Model error") << "and not that it opens";
  EXPECT_EQ(Liveness::of(engine, 1, false).instead(), "The net is out of order.");
  net.failing = false;
  ASSERT_TRUE(waitFor([&] { return Liveness::of(engine, 1, false).isLive; }));
  net.failing = true;
  ASSERT_TRUE(waitFor(fails));
  const Liveness failing = Liveness::of(engine, 1, false);
  EXPECT_FALSE(failing.isLive);
  EXPECT_EQ(failing.state, "Model error");
  EXPECT_EQ(failing.why(), "The net is out of order.");
  EXPECT_TRUE(failing.oldMs) << "so that it turns grey";
  EXPECT_EQ(Liveness::ofAll({Liveness::of(engine, 1, false)}), "Model error");
  net.failing = false;
  engine.setFilter([](const cv::Mat&) -> cv::Mat { throw std::runtime_error("mpm.Merge 2: no"); });
  ASSERT_TRUE(waitFor([&] { return engine.fault() == "mpm.Merge 2: no"; }));
  EXPECT_EQ(Liveness::of(engine, 1, false).why(), "mpm.Merge 2: no.") << "a name as it is";
  EXPECT_EQ(Liveness::of(engine, 1, true).state, "Paused");
  EXPECT_FALSE(Liveness::of(engine, 1, true).oldMs);
}

constexpr int kReplayMs = 5 * kWaitMs;  // for hundreds of frames

// Returns a street, replayed or live; the stub is 50% sure of everything.
monitor::EngineOptions street(bool replayed) {
  monitor::EngineOptions options;
  options.source = {
      "street", monitor::parseSourceAddress("scene:?clock=1x&hour=12&size=64x64"), {}};
  options.capture.everyFrame = replayed;
  return options;
}

SceneWatch watchOf(const monitor::Engine& engine, std::optional<double> usual) {
  SceneWatch watch;
  watch.look(engine, usual);
  return watch;
}

TEST(SceneWatch, SaysWhereAModelIsLessSureThanOfNearlyAllOfItsOwnAndNothingOfSimulatedNights) {
  monitor::Engine engine(street(true), std::make_unique<test::StubNetwork>(), {});
  ASSERT_TRUE(waitFor([&] { return engine.frames() >= 400; }, kReplayMs));
  EXPECT_EQ(Liveness::of(engine, 1, false).state, "Replay");
  const SceneWatch watch = watchOf(engine, 0.95);
  EXPECT_EQ(watch.words().toStdString(), "Unknown scene? 50.0% sure, usually 95.0% or more");
  EXPECT_TRUE(watch.explanation().contains("may not know scenes like this one"));
  EXPECT_EQ(watchOf(engine, 0.45).words(), QString()) << "as sure as it usually is";
  EXPECT_EQ(watchOf(engine, std::nullopt).words(), QString()) << "its file does not say";
  engine.setFilter([](const cv::Mat& picture) { return picture; });
  ASSERT_TRUE(waitFor([&] { return engine.latest()->filtered; }));
  EXPECT_EQ(watchOf(engine, 0.95).words(), QString());
}

// Darkens the frames of a replay from 40 s to 50 s, and stops it at 60 s.
class TenDarkSeconds : public monitor::EngineListener {
 public:
  void onResult(const std::string&, const monitor::FrameResultPtr&) override {
    while (!engine) std::this_thread::yield();  // it has only begun
    if (++frames == 400) engine.load()->setFilter([](const cv::Mat& picture) { return picture; });
    if (frames == 500) engine.load()->setFilter({});
    if (frames == 600) engine.load()->pause(true);
  }
  std::atomic<int> frames{0};
  std::atomic<monitor::Engine*> engine{nullptr};
};

TEST(SceneWatch, BeginsAnewBehindASimulatedNight) {
  TenDarkSeconds night;
  monitor::Engine engine(street(true), std::make_unique<test::StubNetwork>(), {&night});
  night.engine = &engine;
  ASSERT_TRUE(waitFor([&] { return night.frames >= 600; }, kReplayMs));
  ASSERT_FALSE(engine.latest()->filtered);
  EXPECT_EQ(watchOf(engine, 0.95).words(), QString());
  engine.pause(false);
  ASSERT_TRUE(waitFor([&] { return night.frames >= 850; }, kReplayMs));
  EXPECT_NE(watchOf(engine, 0.95).words(), QString());
}

TEST(WhatIsThere, IsSaidInWords) {
  constexpr double kNaN = ClassShare::kUnknown;
  const struct {
    std::vector<ClassShare> shares;
    const char *words, *note;
  } cases[]{
      {{}, "no visible class", ""},
      {{{"car", 0.001, kNaN, 0}}, "no visible class", ""},  // a speck
      {{{"sky", 0.1, kNaN, 0},
        {"road", 0.4, kNaN, 0},
        {"car", 0.02, kNaN, 0},
        {"lawn", 0.3, kNaN, 0}},
       "road 40%, lawn 30%, sky 10%",
       "in ten minutes: what is usual"},
      {{{"road", 0.4, 0.41, 0.01}, {"person", 0.004, 0.004, 0.003}}, "road 40%", "as usual"},
      {{{"road", 0.4, 0.41, 0.01}, {"person in path", 0.021, 0.004, 0.003}},
       "person in path 2.1%",
       "more than the usual 0.4%"},
      {{{"car", 0, 0.08, 0.01}, {"road", 0.5, 0.4, 0.005}}, "car 0.0%", "less than the usual 8.0%"},
      {{{"person", 0.05, 0.02, 0.02}}, "person 5.0%", "as usual"}};  // much changes anyway
  for (const auto& one : cases) {
    const ThereWords there = thereWords(one.shares, QLocale("en"));
    EXPECT_EQ(there.words.toStdString(), one.words);
    EXPECT_EQ(there.note.toStdString(), one.note);
  }
}

TEST(SeenLately, HasRateDelayAndTheClassesThatAreShown) {
  monitor::Engine engine(street(false), std::make_unique<test::StubNetwork>(), {});
  ClassSettings classes;
  classes.setClasses(engine.classes(), engine.palette());
  ASSERT_GT(classes.count(), 1);
  // The street sends ten frames a second.
  ASSERT_TRUE(waitFor([&] {
    return engine.latest() && seenLately(engine, *engine.latest(), classes).perSecond > 8;
  }));
  const SeenLately seen = seenLately(engine, *engine.latest(), classes);
  EXPECT_LT(seen.perSecond, 12);
  EXPECT_GE(seen.lateMs, 0);
  EXPECT_EQ(seen.shares.size(), static_cast<std::size_t>(classes.count()));
  double sum = 0;
  for (const ClassShare& share : seen.shares) sum += share.now;
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_TRUE(std::isnan(seen.shares[0].usual)) << "there are no ten minutes yet";
  classes.setSolo(1);
  const SeenLately alone = seenLately(engine, *engine.latest(), classes);
  ASSERT_EQ(alone.shares.size(), 1u);
  EXPECT_EQ(alone.shares[0].name, classes.name(1));
}

}  // namespace
}  // namespace mpm::gui
