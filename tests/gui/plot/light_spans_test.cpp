// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/light_spans.h"

#include <gtest/gtest.h>

#include <numeric>

#include "gui/plot/synthetic_source.h"

namespace mpm::gui {
namespace {

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
  for (const LightShares& column : lightByColumn(spans, {kMonday, kMonday + 10'000, 4}))
    EXPECT_EQ(column, LightShares{});
}

}  // namespace
}  // namespace mpm::gui
