// SPDX-License-Identifier: Apache-2.0
#include "gui/app/scene_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "gui/wait_for.h"
#include "monitor/engine/stub_network.h"

namespace mpm::gui {
namespace {

constexpr int kReplayMs = 5 * kWaitMs;  // for hundreds of frames

// Some seconds of a street, replayed; the stub is 50% sure of all that it sees.
std::unique_ptr<monitor::Engine> engineAfter(int seconds) {
  monitor::EngineOptions options;
  options.sources = {
      {"street", monitor::parseSourceAddress("scene:?clock=1x&hour=12&size=64x64"), {}}};
  options.capture.everyFrame = true;
  auto engine =
      std::make_unique<monitor::Engine>(std::move(options), std::make_unique<test::StubNetwork>(),
                                        std::vector<monitor::EngineListener*>{});
  const auto frames = static_cast<std::uint64_t>(seconds) * 10;
  EXPECT_TRUE(waitFor([&] { return engine->frames(0) >= frames; }, kReplayMs));
  return engine;
}

TEST(SceneWatch, SaysWhereAModelIsLessSureThanOfNearlyAllOfItsOwn) {
  const auto engine = engineAfter(40);
  SceneWatch watch;
  EXPECT_EQ(watch.words(*engine, 0.95).toStdString(),
            "Unknown scene? 50.0% sure, usually 95.0% or more");
  EXPECT_TRUE(watch.explanation().contains("may not know scenes like this one"));
  EXPECT_EQ(SceneWatch().words(*engine, 0.45), QString()) << "as sure as it usually is";
  EXPECT_EQ(SceneWatch().words(*engine, std::nullopt), QString()) << "its file does not say";
}

TEST(SceneWatch, SaysNothingOfSimulatedNights) {
  const auto engine = engineAfter(40);
  engine->setFilter([](const cv::Mat& picture) { return picture; });
  ASSERT_TRUE(waitFor([&] { return engine->latest(0)->filtered; }));
  EXPECT_EQ(SceneWatch().words(*engine, 0.95), QString());
}

// Darkens the frames of a replay from 40 s to 50 s, and stops it at 60 s.
class TenDarkSeconds : public monitor::EngineListener {
 public:
  void onResult(std::size_t, const monitor::FrameResultPtr&) override {
    while (!engine) std::this_thread::yield();  // it has only begun
    if (++frames == 400) engine.load()->setFilter([](const cv::Mat& picture) { return picture; });
    if (frames == 500) engine.load()->setFilter({});
    if (frames == 600) engine.load()->pause(true);
  }
  std::atomic<int> frames{0};
  std::atomic<monitor::Engine*> engine{nullptr};
};

TEST(SceneWatch, BeginsAnewBehindASimulatedNight) {
  monitor::EngineOptions options;
  options.sources = {
      {"street", monitor::parseSourceAddress("scene:?clock=1x&hour=12&size=64x64"), {}}};
  options.capture.everyFrame = true;
  TenDarkSeconds night;
  monitor::Engine engine(std::move(options), std::make_unique<test::StubNetwork>(), {&night});
  night.engine = &engine;
  ASSERT_TRUE(waitFor([&] { return night.frames >= 600; }, kReplayMs));
  ASSERT_FALSE(engine.latest(0)->filtered);
  EXPECT_EQ(SceneWatch().words(engine, 0.95), QString());
  engine.pause(false);
  ASSERT_TRUE(waitFor([&] { return night.frames >= 850; }, kReplayMs));
  EXPECT_NE(SceneWatch().words(engine, 0.95), QString());
}

}  // namespace
}  // namespace mpm::gui
