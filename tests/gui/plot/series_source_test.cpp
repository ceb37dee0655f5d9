// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/series_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mpm::gui {
namespace {

TEST(SeriesSource, ABucketOfOneMetric) {
  monitor::Bucket bucket;
  bucket.startUtcMs = 60'000;
  bucket.era = 2;
  bucket.frames[static_cast<std::size_t>(monitor::LightState::night)] = 3;
  bucket.tallies.resize(2);
  for (const double value : {4.0, 8.0, 6.0}) bucket.tallies[1].add(value);
  const PlotBucket made = plotBucket(bucket, 1);
  EXPECT_EQ(made.startUtcMs, 60'000);
  EXPECT_EQ(made.era, 2);
  EXPECT_EQ(made.light, monitor::LightState::night);
  EXPECT_EQ(made.count, 3U);
  EXPECT_EQ(made.mean, 6);
  EXPECT_EQ(made.smallest, 4);
  EXPECT_EQ(made.largest, 8);
}

TEST(SeriesSource, WhatIsNotKnownIsAGapWithLight) {
  monitor::Bucket bucket;
  bucket.frames[static_cast<std::size_t>(monitor::LightState::dusk)] = 1;
  bucket.tallies.resize(2);
  bucket.tallies[1].add(std::numeric_limits<double>::infinity());
  for (const std::size_t metric : {0U, 1U, 7U}) {
    const PlotBucket made = plotBucket(bucket, metric);
    EXPECT_EQ(made.count, 0U) << metric;
    EXPECT_TRUE(std::isnan(made.mean));
    EXPECT_EQ(made.light, monitor::LightState::dusk);
  }
}

}  // namespace
}  // namespace mpm::gui
