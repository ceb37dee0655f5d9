// SPDX-License-Identifier: Apache-2.0
#include "gui/app/liveness.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <stdexcept>

#include "gui/wait_for.h"
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
  options.sources = {monitor::NamedSource{}};
  options.sources[0].name = "gate";
  options.makeReader = [plan](const monitor::NamedSource&) {
    return std::make_unique<test::StubReader>(plan);
  };
  return options;
}

// Seen: "Live ..." in the empty tiles of a wall.
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
  EXPECT_TRUE(waitFor([&] { return engine.capture(0).state == monitor::CaptureState::live; }));
  EXPECT_EQ(Liveness::of(engine, 0, false).instead(), "Opening ...");
  EXPECT_EQ(Liveness::ofAll(engine, false), "Opening");
  enough.set_value();
  EXPECT_TRUE(waitFor([&] { return Liveness::of(engine, 0, false).isLive; }));
  EXPECT_EQ(Liveness::ofAll(engine, false), "Live");
}

// Seen: "Live" for two seconds, while the model failed on every frame.
TEST(LivenessWords, NothingIsLiveWhoseNewestFrameTheModelFailedOn) {
  auto network = std::make_unique<test::StubNetwork>();
  test::StubNetwork& net = *network;
  net.failing = true;
  monitor::Engine engine(oneGate(endless()), std::move(network), {});
  const auto fails = [&] { return !engine.fault(0).empty(); };
  ASSERT_TRUE(waitFor(fails));
  EXPECT_EQ(Liveness::of(engine, 0, false).state, "Model fails") << "and not that it opens";
  EXPECT_EQ(Liveness::of(engine, 0, false).instead(), "The net is out of order.");
  net.failing = false;
  ASSERT_TRUE(waitFor([&] { return Liveness::of(engine, 0, false).isLive; }));
  net.failing = true;
  ASSERT_TRUE(waitFor(fails));
  const Liveness failing = Liveness::of(engine, 0, false);
  EXPECT_FALSE(failing.isLive);
  EXPECT_EQ(failing.state, "Model fails");
  EXPECT_EQ(failing.why(), "The net is out of order.");
  EXPECT_TRUE(failing.oldMs) << "so that it turns grey";
  EXPECT_EQ(Liveness::ofAll(engine, false), "Model fails");
  net.failing = false;
  engine.setFilter([](const cv::Mat&) -> cv::Mat { throw std::runtime_error("mpm.Merge 2: no"); });
  ASSERT_TRUE(waitFor([&] { return engine.fault(0) == "mpm.Merge 2: no"; }));
  EXPECT_EQ(Liveness::of(engine, 0, false).why(), "mpm.Merge 2: no.") << "a name as it is";
  EXPECT_EQ(Liveness::of(engine, 0, true).state, "Paused");
  EXPECT_FALSE(Liveness::of(engine, 0, true).oldMs);
}

}  // namespace
}  // namespace mpm::gui
