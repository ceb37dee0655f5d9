// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "street_frames.h"

namespace mpm::test {
namespace {

using namespace monitor;

TEST(Statistics, KeepsEachMetricInEachLight) {
  Statistics statistics(Metrics({"luma", "confidence"}));
  std::array<std::array<Distribution, kLightStates>, 2> expected;
  StreetFrames frames(3, 2);
  for (int i = 0; i < 5000; ++i) {
    const Figures& frame = frames.next();
    statistics.add(frame);
    for (std::size_t metric = 0; metric < 2; ++metric) {
      auto& own = expected[metric][static_cast<std::size_t>(frame.light)];
      own.running.add(frame.values[metric]);
      own.sketch.add(frame.values[metric]);
    }
  }
  for (std::size_t metric = 0; metric < 2; ++metric) {
    for (const LightState light : kAllLightStates) {
      const Distribution& found = statistics.of(metric, light);
      const Distribution& own = expected[metric][static_cast<std::size_t>(light)];
      EXPECT_GT(own.running.count(), 0u);
      EXPECT_EQ(found.running.count(), own.running.count());
      EXPECT_EQ(found.running.mean(), own.running.mean());
      EXPECT_EQ(found.running.deviation(), own.running.deviation());
      EXPECT_EQ(found.sketch.quantile(0.5), own.sketch.quantile(0.5));
    }
  }
  EXPECT_EQ(statistics.metrics().names()[1], "confidence");
  EXPECT_FALSE(statistics.series().buckets(Resolution::second).empty());
}

TEST(Statistics, UnknownFiguresCountAsFramesOnly) {
  Statistics statistics(Metrics({"similarity.1"}));
  Figures frame;
  frame.light = LightState::day;
  frame.values = {std::nan("")};
  statistics.add(frame);
  EXPECT_EQ(statistics.of(0, LightState::day).running.count(), 0u);
  EXPECT_TRUE(std::isnan(statistics.of(0, LightState::day).sketch.quantile(0.5)));
  EXPECT_EQ(statistics.series().buckets(Resolution::day).back().frames[0], 1u);
}

TEST(Statistics, RefusesFiguresOfOtherMetricsBeforeItCounts) {
  Statistics statistics(Metrics({"luma", "confidence"}));
  Figures frame;
  frame.values = {1};
  EXPECT_THROW(statistics.add(frame), std::invalid_argument);
  EXPECT_EQ(statistics.of(0, LightState::transition).running.count(), 0u);
  EXPECT_TRUE(statistics.series().buckets(Resolution::second).empty());
  EXPECT_THROW(statistics.of(2, LightState::day), std::out_of_range);
}

}  // namespace
}  // namespace mpm::test
