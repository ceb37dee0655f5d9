// SPDX-License-Identifier: Apache-2.0
#include "gui/app/rule_past.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "gui/wait_for.h"
#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"

namespace mpm::gui {
namespace {

monitor::EngineOptions streetOptions() {
  monitor::EngineOptions options;
  options.sources = {{"street", monitor::parseSourceAddress("scene:?size=64x64"), {}}};
  return options;
}

TEST(SilenceNow, IsOfTheRunThatGoesOnAlone) {
  monitor::Engine engine(streetOptions(), std::make_unique<test::StubNetwork>(), {});
  ASSERT_TRUE(waitFor([&] { return !pastOf(engine, 0).runs[0].empty(); }));
  RulePast past = pastOf(engine, 0);
  EXPECT_TRUE(silenceNow(past, engine, 0));
  past.runs[0].back().startUtcMs -= 3'600'000;
  EXPECT_FALSE(silenceNow(past, engine, 0)) << "of a run before";
  past.runs[0].clear();
  EXPECT_FALSE(silenceNow(past, engine, 0));
  past.runs.clear();
  EXPECT_FALSE(silenceNow(past, engine, 0));
}

TEST(SilenceNow, AFileAtItsEndIsNotSilent) {
  monitor::EngineOptions options = streetOptions();
  options.makeReader = [](const monitor::NamedSource&) {
    return std::make_unique<test::StubReader>(test::StubReaderPlan{});
  };
  monitor::Engine engine(std::move(options), std::make_unique<test::StubNetwork>(), {});
  ASSERT_TRUE(waitFor([&] { return engine.done(); }));
  const RulePast past = pastOf(engine, 0);
  ASSERT_FALSE(past.runs[0].empty());
  EXPECT_FALSE(silenceNow(past, engine, 0));
}

}  // namespace
}  // namespace mpm::gui
