// SPDX-License-Identifier: Apache-2.0
#include "gui/days/day_grid.h"

#include <gtest/gtest.h>

#include <QTimeZone>
#include <cstdint>
#include <tuple>
#include <vector>

#include "gui/days/day_record.h"
#include "gui/days/zone_here.h"
#include "monitor/statistics/comparison.h"

namespace mpm::gui {
namespace {

const QDate kDay(2026, 11, 3);

TEST(DayGrid, ADaysMinutesLieWhereTheClockOnTheWallSays) {
  DayRecord record;
  for (const int hour : {0, 12, 23}) record.minute(localMs(kDay, hour, 5));
  record.minute(localMs(kDay.addDays(-1), 12, 14));
  record.minute(localMs(kDay.addDays(-40), 12));
  record.flush();
  const DayGrid grid = readDays(record.path(), "gate", "area.car", 7, localMs(kDay, 23, 59));
  ASSERT_EQ(grid.days, (std::vector<QDate>{kDay, kDay.addDays(-1)})) << "empty days go at the end";
  ASSERT_EQ(grid.parts, 144);
  EXPECT_NEAR(grid.at(0, 72).value, 25, 1e-9);
  EXPECT_EQ(grid.at(0, 72).frames, 2u);
  EXPECT_EQ(grid.at(0, 72).light, monitor::LightState::day);
  EXPECT_EQ(grid.at(0, 138).light, monitor::LightState::night);
  EXPECT_NEAR(grid.at(1, 73).value, 25, 1e-9);
  EXPECT_EQ(grid.at(1, 72).frames, 0u);
  EXPECT_EQ(grid.utcMsOf(0, 72), localMs(kDay, 12));
}

TEST(DayGrid, AnHourThatTheClockRepeatsHasBothAndOneThatItSkipsNone) {
  if (!QTimeZone("Europe/Berlin").isValid()) GTEST_SKIP() << "no time zone data";
  const ZoneHere berlin("Europe/Berlin");
  constexpr std::int64_t kHourMs = 3'600'000;
  // From 2026-03-28T23:00Z and 2026-10-24T22:00Z, midnights there.
  for (const auto& [day, midnight, hours] :
       {std::tuple(QDate(2026, 3, 29), std::int64_t{1'774'738'800'000}, 23),
        std::tuple(QDate(2026, 10, 25), std::int64_t{1'792'879'200'000}, 25)}) {
    DayRecord record;
    for (int hour = 0; hour < hours; ++hour) record.minute(midnight + hour * kHourMs);
    record.flush();
    const DayGrid grid =
        readDays(record.path(), "gate", "area.car", 7, midnight + hours * kHourMs - 1);
    ASSERT_EQ(grid.days, std::vector<QDate>{day});
    for (int hour = 0; hour < 24; ++hour) {
      const std::uint64_t frames = hour == 2 ? (hours == 23 ? 0 : 4) : 2;
      EXPECT_EQ(grid.at(0, 6 * hour).frames, frames) << hours << " hours, " << hour;
    }
    EXPECT_EQ(grid.utcMsOf(0, 6 * 4), midnight + (hours == 23 ? 3 : 5) * kHourMs);
  }
}

// Where the clock was set back by an hour, the days had nothing of it, and the slider its pictures.
TEST(DayGrid, WhatWasRecordedBeforeTheClockWasSetBackIsThere) {
  DayRecord record;
  record.minute(localMs(kDay, 12, 45));
  record.minute(localMs(kDay.addDays(1), 0));
  record.flush();
  const DayGrid grid = readDays(record.path(), "gate", "area.car", 7, localMs(kDay, 12, 10));
  ASSERT_EQ(grid.days, std::vector<QDate>{kDay});
  EXPECT_EQ(grid.at(0, 76).frames, 2u);
}

TEST(DayGrid, FewerTokensAreTheShareThatMergingTookAway) {
  DayRecord record;
  record.minute(localMs(kDay, 12));
  record.flush();
  const auto read = [&](const char* metric) {
    return readDays(record.path(), "gate", metric, 7, localMs(kDay, 13)).at(0, 72).value;
  };
  EXPECT_NEAR(read("merged_share"), 100 * (1 - 39.0 / 64), 1e-9) << "of the picture's tokens";
  EXPECT_NEAR(read("area.car"), 25, 1e-9);
  EXPECT_EQ(dayMetrics(record.path(), "gate"), (QStringList{"merged_share", "luma", "area.car"}));
}

TEST(DayGrid, ASimulatedNightIsLeftOutAndAnotherScheduleIsNot) {
  const auto at = [](int hour) { return monitor::Moment{1, localMs(kDay, hour), 0, true}; };
  DayRecord record({{at(2), monitor::kScheduleEvent, "2", "", {}},
                    {at(10), monitor::kFilterEvent, monitor::kOn, "", {}},
                    {at(14), monitor::kFilterEvent, "off", "", {}}});
  for (const int hour : {1, 5, 12, 16}) record.minute(localMs(kDay, hour));
  record.flush();
  const DayGrid grid = readDays(record.path(), "gate", "merged_share", 7, localMs(kDay, 20));
  EXPECT_GT(grid.at(0, 6).frames, 0u);
  EXPECT_GT(grid.at(0, 30).frames, 0u);
  EXPECT_EQ(grid.at(0, 72).frames, 0u);
  EXPECT_GT(grid.at(0, 96).frames, 0u);
  // What does not depend on a memory is not counted twice where one comes and goes.
  DayRecord other({{at(2), monitor::kMemoryEvent, monitor::kOn, "", {}}});
  for (const int hour : {1, 5}) other.minute(localMs(kDay, hour));
  other.flush();
  for (const char* metric : {"merged_share", "area.car"}) {
    const DayGrid once = readDays(other.path(), "gate", metric, 7, localMs(kDay, 20));
    EXPECT_EQ(once.at(0, 6).frames, 2u) << metric;
    EXPECT_EQ(once.at(0, 30).frames, 2u) << metric;
  }
}

TEST(DayGrid, NothingIsKnownOfAnotherSource) {
  DayRecord record;
  record.flush();
  EXPECT_TRUE(dayMetrics(record.path(), "yard").isEmpty());
  EXPECT_TRUE(readDays(record.path(), "yard", "merged_share", 7, localMs(kDay, 1)).days.empty());
}

}  // namespace
}  // namespace mpm::gui
