// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/trace.h"

#include <gtest/gtest.h>

#include "gui/plot/synthetic_source.h"

namespace mpm::gui {
namespace {

using monitor::Resolution;
using testing::kDayMs;
using testing::kHourMs;
using testing::kMinuteMs;
using testing::kMonday;
using testing::syntheticBuckets;
using testing::SyntheticSource;

constexpr std::int64_t kNow = kMonday + 2 * kDayMs;

TimeScale lately(std::int64_t spanMs, int columns = 1200) { return {kNow - spanMs, kNow, columns}; }

/// As much as the monitor keeps in memory.
void fill(SyntheticSource& source) {
  const std::array<std::int64_t, 4> kept{15 * kMinuteMs, kDayMs, 31 * kDayMs, 366 * kDayMs};
  for (const Resolution resolution : monitor::kAllResolutions)
    source.at("rows", resolution) =
        syntheticBuckets(kNow - kept[static_cast<std::size_t>(resolution)], kNow, resolution);
}

TEST(FetchedSeries, ResolutionSuitsTheZoom) {
  SyntheticSource source;
  fill(source);
  EXPECT_EQ(resolutionFor(source, lately(kMinuteMs)), Resolution::second);
  EXPECT_EQ(resolutionFor(source, lately(14 * kMinuteMs)), Resolution::second);
  EXPECT_EQ(resolutionFor(source, lately(23 * kHourMs)), Resolution::minute);
  EXPECT_EQ(resolutionFor(source, lately(28 * kDayMs)), Resolution::hour);
  EXPECT_EQ(resolutionFor(source, lately(360 * kDayMs, 400)), Resolution::day);
}

TEST(FetchedSeries, ACoarserOneWhereTheFineOneIsNotKept) {
  SyntheticSource source;
  fill(source);
  EXPECT_EQ(resolutionFor(source, lately(2 * kHourMs)), Resolution::minute);
  EXPECT_EQ(resolutionFor(source, lately(3 * kDayMs)), Resolution::hour);
  EXPECT_EQ(resolutionFor(source, lately(300 * kDayMs)), Resolution::day);
}

// Ten minutes after the start an hour is empty but for them: in seconds, since minutes add nothing.
TEST(FetchedSeries, FineWhereNothingIsOlder) {
  SyntheticSource source;
  for (const Resolution resolution : monitor::kAllResolutions)
    source.at("rows", resolution) = syntheticBuckets(kNow - 10 * kMinuteMs, kNow, resolution);
  EXPECT_EQ(resolutionFor(source, lately(kHourMs)), Resolution::second);
  SyntheticSource empty;
  EXPECT_EQ(resolutionFor(empty, lately(kHourMs)), Resolution::second);
}

TEST(FetchedSeries, HasRoomOnBothSides) {
  SyntheticSource source;
  fill(source);
  const auto fetched = fetchSeries(source, {"rows", "unknown"}, Resolution::minute,
                                   kNow - 2 * kHourMs, kNow - kHourMs);
  EXPECT_EQ(fetched->fromUtcMs, kNow - 3 * kHourMs);
  EXPECT_EQ(fetched->toUtcMs, kNow);
  ASSERT_EQ(fetched->lines.size(), 2U);
  EXPECT_EQ(fetched->lines[0].buckets().size(), 180U);
  EXPECT_TRUE(fetched->lines[1].buckets().empty());
  EXPECT_FALSE(fetched->light.empty());
  EXPECT_TRUE(fetched->covers(kNow - 3 * kHourMs, kNow));
  EXPECT_FALSE(fetched->covers(kNow - 3 * kHourMs, kNow + 1));
}

TEST(FetchedSeries, ADaysLightIsNotTold) {
  SyntheticSource source;
  fill(source);
  EXPECT_TRUE(
      fetchSeries(source, {"rows"}, Resolution::day, kNow - 9 * kDayMs, kNow)->light.empty());
}

}  // namespace
}  // namespace mpm::gui
