// SPDX-License-Identifier: Apache-2.0
#include "gui/app/engine_rest.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <vector>

#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"

namespace mpm::gui {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<monitor::Engine> liveEngine() {
  monitor::EngineOptions options;
  options.sources = {monitor::NamedSource{}};
  options.sources[0].name = "gate";
  options.makeReader = [](const monitor::NamedSource&) {
    test::StubReaderPlan plan;
    plan.live = true;
    plan.frames = 1'000'000;
    return std::make_unique<test::StubReader>(plan);
  };
  return std::make_unique<monitor::Engine>(std::move(options),
                                           std::make_unique<test::StubNetwork>(),
                                           std::vector<monitor::EngineListener*>{});
}

TEST(EngineRest, ThePictureGoesOnBetweenMeasurements) {
  const auto engine = liveEngine();
  EngineRest rest(*engine, 0ms);
  const std::uint64_t before = engine->frames(0);
  const auto until = std::chrono::steady_clock::now() + 120s;
  while (engine->frames(0) < before + 3 && std::chrono::steady_clock::now() < until) rest.breathe();
  EXPECT_GE(engine->frames(0), before + 3);
}

TEST(EngineRest, NothingIsSegmentedWhileItRests) {
  const auto engine = liveEngine();
  std::future<void> next;
  {
    EngineRest rest(*engine, 1h);
    const std::uint64_t before = engine->frames(0);
    next = engine->withNetwork([](monitor::Network&) {});
    rest.breathe();  // it has not rested for long enough
    // A window in which nothing comes, where an engine that goes on gives some dozens of frames.
    EXPECT_EQ(next.wait_for(50ms), std::future_status::timeout);
    EXPECT_EQ(engine->frames(0), before);
  }
  EXPECT_EQ(next.wait_for(120s), std::future_status::ready) << "it goes on afterwards";
}

TEST(EngineRest, AnEngineThatEndsIsTold) {
  const auto engine = liveEngine();
  engine->stop();
  EXPECT_THROW(EngineRest rest(*engine), std::future_error);
}

}  // namespace
}  // namespace mpm::gui
