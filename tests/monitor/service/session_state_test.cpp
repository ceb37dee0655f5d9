// SPDX-License-Identifier: Apache-2.0
// What a session publishes.
#include <gtest/gtest.h>

#include <cstdint>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <utility>

#include "monitor/clock/manual_clock.h"
#include "monitor/eventually.h"
#include "monitor/publish/pages.h"
#include "monitor/service/session.h"
#include "monitor/service/stub_session.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

TEST(Session, WhatIsPublished) {
  EngineOptions engine = stubReplay(60);
  engine.sources[0].book.rules = {brightRule("bright"), brightRule("untold")};
  engine.sources[0].book.rules[1].publish = false;
  Session session(stubPrepared(engine, ""));
  ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
  const PublishedState state = session.state();
  EXPECT_EQ(state.version, "1.2");
  EXPECT_EQ(state.model, "stub.onnx");
  EXPECT_FALSE(state.record);
  EXPECT_FALSE(state.mqtt);
  ASSERT_EQ(state.sources.size(), 1u);
  const PublishedSource& source = state.sources[0];
  EXPECT_EQ(source.name, "gate");
  EXPECT_EQ(source.frames, 60u);
  std::uint64_t frames = 0;
  for (const std::uint64_t light : source.lightFrames) frames += light;
  EXPECT_EQ(frames, 60u);
  ASSERT_TRUE(source.latest);
  EXPECT_EQ(source.latest->values.size(), source.metrics.size());
  ASSERT_EQ(source.rules.size(), 2u);
  EXPECT_EQ(source.rules[0].name, "bright");
  EXPECT_FALSE(source.rules[0].holds);
  EXPECT_TRUE(source.rules[0].toBroker);
  EXPECT_FALSE(source.rules[1].toBroker);
  const cv::Mat picture = cv::imdecode(session.picture("gate"), cv::IMREAD_COLOR);
  EXPECT_EQ(picture.size(), cv::Size(64, 48));
  EXPECT_TRUE(session.picture("nobody").empty());
}

// While frames come on which the model fails.
TEST(Session, FiguresThatAreAMinuteOldAreNotPublishedAsThoseOfNow) {
  ManualClock clock(1700000000000);
  PreparedSession prepared = stubPrepared(stubLive(), "");
  auto& network = static_cast<StubNetwork&>(*prepared.network);
  Session session(std::move(prepared), {}, clock);
  const auto source = [&] { return session.state().sources[0]; };
  ASSERT_TRUE(eventually([&] { return source().hasFreshFigures(); }));
  network.failing = true;
  ASSERT_TRUE(eventually([&] { return !source().netFault.empty(); }));
  clock.advance(60000);
  ASSERT_TRUE(eventually([&] { return source().capture.msSinceFrame == 0; }));
  EXPECT_TRUE(source().hasFreshFigures());
  clock.advance(1);
  EXPECT_FALSE(source().hasFreshFigures());
  network.failing = false;
  EXPECT_TRUE(eventually([&] { return source().hasFreshFigures(); }));
}

TEST(Session, AModelThatFailsOnFramesIsNotHealthy) {
  EngineOptions engine = stubReplay(60);
  PreparedSession prepared = stubPrepared(engine, "");
  static_cast<StubNetwork&>(*prepared.network).failing = true;
  Session failing(std::move(prepared));
  ASSERT_TRUE(eventually([&] { return failing.engine()->done(); }));
  const Health health = healthOf(failing.state());
  EXPECT_FALSE(health.healthy);
  EXPECT_NE(health.text.find("gate: the model fails on its frames: the net is out of order\n"),
            std::string::npos)
      << health.text;
}

}  // namespace
}  // namespace mpm::test
