// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/grouped_series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "gui/plot/synthetic_source.h"

namespace mpm::gui {
namespace {

using monitor::Resolution;
using testing::kDayMs;
using testing::kMinuteMs;
using testing::kMonday;

Extent oneByOne(const GroupedSeries& series, std::size_t begin, std::size_t end) {
  Extent all;
  for (std::size_t i = begin; i < end; ++i) {
    const PlotBucket& bucket = series.buckets()[i];
    if (bucket.count > 0)
      all.add({bucket.count, bucket.mean * bucket.count, bucket.smallest, bucket.largest});
  }
  return all;
}

TEST(GroupedSeries, AnyStretchIsWhatItsBucketsAre) {
  std::mt19937 random(11);
  for (const std::size_t size : {1U, 7U, 31U, 32U, 33U, 63U, 64U, 65U, 513U, 5000U}) {
    auto buckets = testing::syntheticBuckets(
        kMonday, kMonday + static_cast<std::int64_t>(size) * kMinuteMs, Resolution::minute);
    for (std::size_t i = 0; i < buckets.size(); i += 5) buckets[i].count = 0;
    const GroupedSeries series(std::move(buckets), kMinuteMs);
    std::uniform_int_distribution<std::size_t> place(0, size);
    for (int i = 0; i < 300; ++i) {
      std::size_t begin = place(random), end = place(random);
      if (begin > end) std::swap(begin, end);
      const Extent all = series.over(begin, end), expected = oneByOne(series, begin, end);
      ASSERT_EQ(all.count, expected.count) << size << ' ' << begin << ' ' << end;
      ASSERT_NEAR(all.sum, expected.sum, 1e-9 * std::fabs(expected.sum));
      ASSERT_EQ(all.smallest, expected.smallest);
      ASSERT_EQ(all.largest, expected.largest);
    }
  }
}

TEST(GroupedSeries, ErasAndTimesThatGoBackAreRuns) {
  auto buckets = testing::syntheticBuckets(kMonday, kMonday + 10 * kMinuteMs, Resolution::minute);
  for (std::size_t i = 4; i < 10; ++i) buckets[i].era = 1;
  for (std::size_t i = 4; i < 10; ++i) buckets[i].startUtcMs -= 3 * kMinuteMs;
  buckets[8].startUtcMs = buckets[4].startUtcMs;
  const GroupedSeries series(buckets, kMinuteMs);
  ASSERT_EQ(series.runs().size(), 3U);
  EXPECT_EQ(series.runs()[0].end, 4U);
  EXPECT_EQ(series.runs()[1].era, 1);
  EXPECT_EQ(series.runs()[1].end, 8U);
  EXPECT_EQ(series.runs()[2].end, 10U);
}

TEST(GroupedSeries, FollowsOnUnlessSomethingIsMissing) {
  auto buckets = testing::syntheticBuckets(kMonday, kMonday + 8 * kMinuteMs, Resolution::minute);
  buckets.erase(buckets.begin() + 2);
  buckets[4].count = 0;
  buckets[6].era = 1;
  const GroupedSeries series(buckets, kMinuteMs);
  const std::vector<bool> expected{false, true, false, true, false, false, false};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(series.followsOn(i), expected[i]) << i;
  EXPECT_FALSE(series.followsOn(99));
}

TEST(GroupedSeries, WhatIsNoNumberIsAGap) {
  auto buckets = testing::syntheticBuckets(kMonday, kMonday + 3 * kMinuteMs, Resolution::minute);
  buckets[1].mean = std::numeric_limits<double>::quiet_NaN();
  buckets[2].largest = std::numeric_limits<double>::infinity();
  const GroupedSeries series(buckets, kMinuteMs);
  EXPECT_EQ(series.over(0, 3).count, series.buckets()[0].count);
  EXPECT_TRUE(std::isfinite(series.over(0, 3).largest));
}

TEST(GroupedSeries, FindsTimes) {
  const GroupedSeries series(
      testing::syntheticBuckets(kMonday, kMonday + kDayMs, Resolution::minute), kMinuteMs);
  const auto run = series.runs().at(0);
  EXPECT_EQ(series.firstFrom(run, 0), 0U);
  EXPECT_EQ(series.firstFrom(run, kMonday + 1), 1U);
  EXPECT_EQ(series.firstFrom(run, kMonday + 60 * kMinuteMs), 60U);
  EXPECT_EQ(series.firstFrom(run, kMonday + 2 * kDayMs), 1440U);
}

TEST(GroupedSeries, OfNothing) {
  const GroupedSeries series({}, kMinuteMs);
  EXPECT_TRUE(series.runs().empty());
  EXPECT_EQ(series.over(0, 0).count, 0U);
  EXPECT_TRUE(std::isnan(series.over(0, 0).mean()));
}

}  // namespace
}  // namespace mpm::gui
