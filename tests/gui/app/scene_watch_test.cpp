// SPDX-License-Identifier: Apache-2.0
#include "gui/app/scene_watch.h"

#include <gtest/gtest.h>

#include <QTest>
#include <memory>

#include "monitor/engine/stub_network.h"

namespace mpm::gui {
namespace {

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
  EXPECT_TRUE(QTest::qWaitFor([&] { return engine->frames(0) >= frames; }, 60000));
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
  ASSERT_TRUE(QTest::qWaitFor([&] { return engine->latest(0)->filtered; }, 60000));
  EXPECT_EQ(SceneWatch().words(*engine, 0.95), QString());
}

}  // namespace
}  // namespace mpm::gui
