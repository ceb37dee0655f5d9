// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/axes.h"

#include <gtest/gtest.h>

#include <QDateTime>
#include <QLocale>
#include <algorithm>
#include <set>

#include "gui/plot/synthetic_source.h"

namespace mpm::gui {
namespace {

using testing::kDayMs;
using testing::kHourMs;
using testing::kMinuteMs;
using testing::kMonday;

const QLocale kBritish(QLocale::English, QLocale::UnitedKingdom);

std::int64_t utc(int year, int month, int day, int hour, int minute = 0) {
  return QDateTime(QDate(year, month, day), QTime(hour, minute), QTimeZone::utc())
      .toMSecsSinceEpoch();
}

QStringList labels(const std::vector<TimeTick>& ticks) {
  QStringList list;
  for (const TimeTick& tick : ticks) list.append(tick.label);
  return list;
}

class TimeAxisIn : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    zone_ = QTimeZone(GetParam());
    if (!zone_.isValid()) GTEST_SKIP() << "no time zone data for " << GetParam();
  }
  QTimeZone zone_;
};

// From the last minute to years, no zone has too many ticks, double ones or ones outside.
TEST_P(TimeAxisIn, AnySpanHasAFewTicksInOrder) {
  const std::int64_t to = utc(2025, 11, 4, 15, 12);
  for (std::int64_t span = 10'000; span < 40 * 365 * kDayMs; span = span * 13 / 10)
    for (const int most : {2, 5, 12}) {
      const auto ticks = timeTicks(to - span, to, most, zone_, kBritish);
      // Where clocks go back, there may be one more; ends may both have one.
      EXPECT_LE(ticks.size(), static_cast<std::size_t>(most) + 2) << span;
      if (most == 12 && span < 30 * 365 * kDayMs) {
        EXPECT_GE(ticks.size(), 3U) << span;
      }
      for (std::size_t i = 0; i < ticks.size(); ++i) {
        EXPECT_GE(ticks[i].utcMs, to - span);
        EXPECT_LE(ticks[i].utcMs, to);
        EXPECT_FALSE(ticks[i].label.isEmpty());
        if (i > 0) {
          EXPECT_GT(ticks[i].utcMs, ticks[i - 1].utcMs);
        }
      }
    }
}

// Hours stand at the wall clock's full hours: in Kathmandu 5:45 ahead, too.
TEST_P(TimeAxisIn, HoursAreTheWallClocks) {
  const std::int64_t from = utc(2025, 3, 29, 0), to = from + 3 * kDayMs;
  const auto ticks = timeTicks(from, to, 12, zone_, kBritish);
  for (const TimeTick& tick : ticks) {
    const QTime wall = QDateTime::fromMSecsSinceEpoch(tick.utcMs, zone_).time();
    EXPECT_EQ(wall.minute(), 0);
    EXPECT_EQ(wall.hour() % 6, 0) << tick.label.toStdString();
  }
}

TEST_P(TimeAxisIn, DaysBeginWhenDatesDo) {
  const std::int64_t from = utc(2018, 10, 30, 12), to = from + 10 * kDayMs;
  const auto ticks = timeTicks(from, to, 10, zone_, kBritish);
  EXPECT_GE(ticks.size(), 9U);
  for (const TimeTick& tick : ticks) {
    const QDateTime wall = QDateTime::fromMSecsSinceEpoch(tick.utcMs, zone_);
    EXPECT_NE(wall.date(), wall.addMSecs(-1).date());
  }
}

INSTANTIATE_TEST_SUITE_P(Zones, TimeAxisIn,
                         ::testing::Values("UTC", "Europe/Berlin", "America/New_York",
                                           "Asia/Kathmandu", "Australia/Lord_Howe",
                                           "America/Sao_Paulo"));

TEST(TimeAxis, AnHourIsMissingInSpring) {
  const QTimeZone berlin("Europe/Berlin");
  if (!berlin.isValid()) GTEST_SKIP() << "no time zone data";
  const auto ticks = timeTicks(utc(2025, 3, 29, 22, 30), utc(2025, 3, 30, 4), 8, berlin, kBritish);
  EXPECT_EQ(labels(ticks), (QStringList{"00:00", "01:00", "03:00", "04:00", "05:00", "06:00"}));
  EXPECT_EQ(ticks[2].utcMs - ticks[1].utcMs, kHourMs);
}

TEST(TimeAxis, AnHourIsThereTwiceInAutumn) {
  const QTimeZone berlin("Europe/Berlin");
  if (!berlin.isValid()) GTEST_SKIP() << "no time zone data";
  const auto ticks =
      timeTicks(utc(2025, 10, 25, 21, 30), utc(2025, 10, 26, 3), 8, berlin, kBritish);
  EXPECT_EQ(labels(ticks), (QStringList{"00:00", "01:00", "02:00", "02:00", "03:00", "04:00"}));
}

TEST(TimeAxis, LabelsAndContextsOfEachStep) {
  const QTimeZone zone = QTimeZone::utc();
  const auto first = [&](std::int64_t span) {
    return timeTicks(kMonday, kMonday + span, 8, zone, kBritish).front();
  };
  EXPECT_EQ(first(20'000).label, "00:00:00");
  EXPECT_EQ(first(20'000).context, "Mon 3 Mar 2025");
  EXPECT_EQ(first(20 * kMinuteMs).label, "00:00");
  EXPECT_EQ(first(6 * kDayMs).label, "Mon 3");
  EXPECT_EQ(first(6 * kDayMs).context, "March 2025");
  EXPECT_EQ(first(40 * kDayMs).label, "3 Mar");
  EXPECT_EQ(first(40 * kDayMs).context, "2025");
  EXPECT_EQ(first(200 * kDayMs).label, "Apr");
  EXPECT_EQ(first(200 * kDayMs).context, "2025");
  EXPECT_EQ(first(2000 * kDayMs).label, "2026");
  EXPECT_EQ(first(2000 * kDayMs).context, "");
}

TEST(TimeAxis, FollowsTheLocale) {
  const QLocale american(QLocale::English, QLocale::UnitedStates);
  const QLocale finnish(QLocale::Finnish);
  const QTimeZone zone = QTimeZone::utc();
  const std::int64_t afternoon = kMonday + 14 * kHourMs;
  EXPECT_EQ(timeTicks(afternoon, afternoon + 20 * kMinuteMs, 8, zone, american).front().label,
            american.toString(QTime(14, 0), "h:mm AP"));
  EXPECT_EQ(timeTicks(afternoon, afternoon + 20'000, 8, zone, finnish).front().label, "14.00.00");
  EXPECT_EQ(momentText(afternoon, false, zone, kBritish), "Mon 3 Mar 2025 14:00");
  EXPECT_EQ(momentText(afternoon, true, zone, kBritish), "Mon 3 Mar 2025 14:00:00");
}

TEST(TimeAxis, NothingOfNoTime) {
  EXPECT_TRUE(timeTicks(kMonday, kMonday, 8, QTimeZone::utc(), kBritish).empty());
  EXPECT_TRUE(timeTicks(kMonday, kMonday - 1, 8, QTimeZone::utc(), kBritish).empty());
}

TEST(TimeAxis, ContextAtSaysWhatTicksLeaveOut) {
  const QTimeZone zone = QTimeZone::utc();
  EXPECT_EQ(contextAt(kMonday, kMonday, kMonday + kHourMs, 8, zone, kBritish), "Mon 3 Mar 2025");
  EXPECT_EQ(contextAt(kMonday, kMonday, kMonday + 6 * kDayMs, 8, zone, kBritish), "March 2025");
}

}  // namespace
}  // namespace mpm::gui
