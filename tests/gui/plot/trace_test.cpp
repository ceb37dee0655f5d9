// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/trace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "gui/plot/synthetic_source.h"

namespace mpm::gui {
namespace {

using monitor::Resolution;
using testing::kDayMs;
using testing::kHourMs;
using testing::kMinuteMs;
using testing::kMonday;
using testing::syntheticBuckets;

std::size_t pointsOf(const std::vector<TraceStretch>& stretches) {
  std::size_t points = 0;
  for (const TraceStretch& stretch : stretches) points += stretch.size();
  return points;
}

TEST(Trace, WideBucketsAreAPointEach) {
  const GroupedSeries series(syntheticBuckets(kMonday, kMonday + kHourMs, Resolution::minute),
                             kMinuteMs);
  const auto stretches = traceOf(series, {kMonday, kMonday + kHourMs, 600});
  ASSERT_EQ(stretches.size(), 1U);
  ASSERT_EQ(stretches[0].size(), 60U);
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_DOUBLE_EQ(stretches[0][i].column, 5 + 10.0 * static_cast<double>(i));
    EXPECT_EQ(stretches[0][i].mean, series.buckets()[i].mean);
  }
}

// Against columns that are summed up bucket by bucket.
TEST(Trace, NarrowBucketsAreAPointForEachColumn) {
  auto buckets = syntheticBuckets(kMonday, kMonday + 3 * kDayMs, Resolution::minute);
  std::erase_if(buckets, [](const PlotBucket& bucket) {
    const std::int64_t minute = (bucket.startUtcMs - kMonday) / kMinuteMs;
    return minute >= 500 && minute < 800;
  });
  const GroupedSeries series(buckets, kMinuteMs);
  const TimeScale scale{kMonday, kMonday + 3 * kDayMs, 432};  // 10 minutes a column
  const auto stretches = traceOf(series, scale);
  ASSERT_EQ(stretches.size(), 2U);
  EXPECT_EQ(stretches[0].size(), 50U);
  EXPECT_EQ(stretches[1].size(), 432U - 80U);
  for (const TraceStretch& stretch : stretches)
    for (const TracePoint& point : stretch) {
      const std::int64_t from = scale.utcMsOf(std::floor(point.column));
      Extent all;
      for (const PlotBucket& bucket : buckets)
        if (bucket.startUtcMs >= from && bucket.startUtcMs < from + 10 * kMinuteMs)
          all.add({bucket.count, bucket.mean * bucket.count, bucket.smallest, bucket.largest});
      ASSERT_NEAR(point.mean, all.mean(), 1e-9);
      ASSERT_EQ(point.smallest, all.smallest);
      ASSERT_EQ(point.largest, all.largest);
    }
}

TEST(Trace, HasNoMorePointsThanColumns) {
  const GroupedSeries series(syntheticBuckets(kMonday, kMonday + 60 * kDayMs, Resolution::minute),
                             kMinuteMs);
  for (const int columns : {1, 2, 777, 1200})
    EXPECT_LE(pointsOf(traceOf(series, {kMonday + kDayMs, kMonday + 59 * kDayMs, columns})),
              static_cast<std::size_t>(columns) + 2);
}

TEST(Trace, ErasAreNotJoined) {
  auto buckets = syntheticBuckets(kMonday, kMonday + kHourMs, Resolution::minute);
  for (std::size_t i = 30; i < 60; ++i) {
    buckets[i].era = 1;
    buckets[i].startUtcMs -= 20 * kMinuteMs;  // set back: times are there twice
  }
  const GroupedSeries series(buckets, kMinuteMs);
  for (const int columns : {600, 20}) {
    const auto stretches = traceOf(series, {kMonday, kMonday + kHourMs, columns});
    ASSERT_EQ(stretches.size(), 2U) << columns;
    EXPECT_LT(stretches[1].front().column, stretches[0].back().column);
  }
}

TEST(Trace, GoesOnBeyondTheEnds) {
  const GroupedSeries series(syntheticBuckets(kMonday, kMonday + kDayMs, Resolution::minute),
                             kMinuteMs);
  for (const int columns : {600, 6}) {
    const auto stretches = traceOf(series, {kMonday + 2 * kHourMs, kMonday + 3 * kHourMs, columns});
    ASSERT_EQ(stretches.size(), 1U);
    EXPECT_LT(stretches[0].front().column, 0);
    EXPECT_GT(stretches[0].back().column, columns);
  }
}

// Far away, behind a gap, is no point that anybody sees.
TEST(Trace, LeavesOutWhatIsBehindAGap) {
  auto buckets = syntheticBuckets(kMonday, kMonday + 5 * kMinuteMs, Resolution::minute);
  const auto later = syntheticBuckets(kMonday + 400 * kDayMs, kMonday + 400 * kDayMs + kHourMs,
                                      Resolution::minute);
  buckets.insert(buckets.end(), later.begin(), later.end());
  const GroupedSeries series(buckets, kMinuteMs);
  EXPECT_EQ(pointsOf(traceOf(series, {kMonday, kMonday + 10 * kMinuteMs, 1000})), 5U);
  EXPECT_EQ(pointsOf(traceOf(series, {kMonday + kDayMs, kMonday + 2 * kDayMs, 1000})), 0U);
}

TEST(Trace, ShowsABucketLongerThanTheWindow) {
  const GroupedSeries series(syntheticBuckets(kMonday, kMonday + kDayMs, Resolution::day), kDayMs);
  const auto stretches = traceOf(series, {kMonday + 10 * kHourMs, kMonday + 14 * kHourMs, 100});
  ASSERT_EQ(pointsOf(stretches), 1U);
  EXPECT_DOUBLE_EQ(stretches[0][0].column, 50);
}

TEST(Trace, BucketsWithoutValuesPartTheLine) {
  auto buckets = syntheticBuckets(kMonday, kMonday + 10 * kMinuteMs, Resolution::minute);
  buckets[5].count = 0;
  const GroupedSeries series(buckets, kMinuteMs);
  const auto stretches = traceOf(series, {kMonday, kMonday + 10 * kMinuteMs, 100});
  ASSERT_EQ(stretches.size(), 2U);
  EXPECT_EQ(stretches[0].size(), 5U);
  EXPECT_EQ(stretches[1].size(), 4U);
}

using monitor::LightState;
using monitor::Resolution;
using testing::kDayMs;
using testing::kHourMs;
using testing::kMonday;
using testing::syntheticBuckets;

float shareOf(const LightShares& shares, LightState state) {
  return shares[static_cast<std::size_t>(state)];
}

TEST(LightSpans, NeighboursOfOneStateAreOne) {
  auto buckets = syntheticBuckets(kMonday, kMonday + 6 * kHourMs, Resolution::hour);
  for (std::size_t i = 0; i < 6; ++i)
    buckets[i].light = i < 4 ? LightState::night : LightState::day;
  buckets.erase(buckets.begin() + 1);
  const auto spans = lightSpans(buckets, kHourMs);
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans[0].toUtcMs, kMonday + kHourMs);
  EXPECT_EQ(spans[1].fromUtcMs, kMonday + 2 * kHourMs);
  EXPECT_EQ(spans[1].toUtcMs, kMonday + 4 * kHourMs);
  EXPECT_EQ(spans[2].light, LightState::day);
}

TEST(LightSpans, ColumnsShareWhatLiesInThem) {
  const std::vector<LightSpan> spans{{kMonday, kMonday + 90'000, LightState::day},
                                     {kMonday + 90'000, kMonday + 120'000, LightState::dusk},
                                     {kMonday + 180'000, kMonday + 10 * kDayMs, LightState::night}};
  const auto shares = lightByColumn(spans, {kMonday - 60'000, kMonday + 240'000, 5});
  ASSERT_EQ(shares.size(), 5U);
  EXPECT_EQ(shares[0], LightShares{});
  EXPECT_FLOAT_EQ(shareOf(shares[1], LightState::day), 1);
  EXPECT_FLOAT_EQ(shareOf(shares[2], LightState::day), 0.5);
  EXPECT_FLOAT_EQ(shareOf(shares[2], LightState::dusk), 0.5);
  EXPECT_EQ(shares[3], LightShares{});
  EXPECT_FLOAT_EQ(shareOf(shares[4], LightState::night), 1);
}

TEST(LightSpans, ATimeThatIsThereTwiceIsSharedToo) {
  const std::vector<LightSpan> spans{{kMonday, kMonday + 1000, LightState::day},
                                     {kMonday, kMonday + 1000, LightState::night}};
  const auto shares = lightByColumn(spans, {kMonday, kMonday + 1000, 1});
  EXPECT_FLOAT_EQ(shareOf(shares[0], LightState::day), 0.5);
  EXPECT_FLOAT_EQ(shareOf(shares[0], LightState::night), 0.5);
}

TEST(LightSpans, NarrowDaysAreCalmButKeepTheirShares) {
  const auto spans =
      lightSpans(syntheticBuckets(kMonday, kMonday + 180 * kDayMs, Resolution::hour), kHourMs);
  const TimeScale scale{kMonday - 185 * kDayMs, kMonday + 180 * kDayMs, 1000};
  const auto shares = lightByColumn(spans, scale);
  const auto begin = static_cast<std::size_t>(scale.columnOf(kMonday)) + 1;
  for (std::size_t i = 0; i + 1 < begin; ++i) EXPECT_EQ(shares[i], LightShares{});
  for (std::size_t i = begin + 10; i + 10 < shares.size(); ++i) {
    // Day from 7 to 18; a window of whole days, but for a part of a column.
    EXPECT_NEAR(shareOf(shares[i], LightState::day), 11.0 / 24, 0.04) << i;
    EXPECT_NEAR(std::accumulate(shares[i].begin(), shares[i].end(), 0.0), 1, 1e-3);
  }
}

TEST(LightSpans, OfFarAwayTimes) {
  const std::vector<LightSpan> spans{{0, 1000, LightState::day},
                                     {kMonday * 2, kMonday * 2 + 1000, LightState::night}};
  EXPECT_EQ(lightByColumn(spans, {kMonday, kMonday + 10'000, 4}),
            std::vector<LightShares>(4, LightShares{}));
}

}  // namespace

}  // namespace mpm::gui
