// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/axes.h"

#include <gtest/gtest.h>

#include "gui/plot/synthetic_source.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

using testing::collision;
using testing::kDayMs;
using testing::kHourMs;
using testing::kMinuteMs;
using testing::kMonday;
using testing::recorded;

const QLocale kBritish(QLocale::English, QLocale::UnitedKingdom);
const QPalette kPalette = testing::lightPalette();

TEST(ValueAxis, TicksAreRoundAndHaveTheDecimalsThatTellThemApart) {
  const ValueAxis axis = axisAround(401, 470, 5), within = axisWithin(0.3, 9.7, 5);
  EXPECT_EQ(axis.ticks, (std::vector<double>{400, 420, 440, 460}));
  EXPECT_EQ(std::pair(axis.low, axis.high), std::pair(400.0, 472.0));
  EXPECT_EQ(axis.label(440, kBritish), "440");
  EXPECT_EQ(axisAround(0, 0.05, 6).label(0.01, kBritish), "0.01");
  EXPECT_EQ(axisAround(0, 0.05, 6).label(0.01, QLocale(QLocale::German)), "0,01");
  EXPECT_EQ(axisAround(0, 4'000'000, 5).label(1'000'000, kBritish), "1,000,000");
  EXPECT_EQ(std::pair(within.low, within.high), std::pair(0.3, 9.7)) << "keeps the ends";
  EXPECT_EQ(within.ticks, (std::vector<double>{2, 4, 6, 8})) << "one alone tells no length";
  EXPECT_EQ(axisWithin(9.7, 0.3, 5).low, 0.3);
  for (const auto& [value, decimals] : {std::pair{437.0, 0},
                                        {99.96, 0},
                                        {43.7, 1},
                                        {-4.37, 2},
                                        {0.437, 3},
                                        {0.0437, 4},
                                        {0.0, 0},
                                        {std::nan(""), 0},
                                        {1e-30, 9}})
    EXPECT_EQ(decimalsFor(value), decimals) << value << " to three figures";
}

// Guards against "500" alone below a network's times, from 440 to 540 ms.
TEST(ValueAxis, HasTwoTicksAtLeast) {
  EXPECT_EQ(axisAround(440, 540, 3).ticks, (std::vector<double>{450, 500}));
  for (double low = 0; low < 1000; low += 7)
    for (double length = 1; length < 2000; length *= 1.3)
      for (int most = 1; most <= 10; ++most) {
        ASSERT_GE(axisAround(low, low + length, most).ticks.size(), 2U)
            << low << ' ' << length << ' ' << most;
        ASSERT_GE(axisWithin(low, low + length, most).ticks.size(), 2U)
            << low << ' ' << length << ' ' << most;
      }
}

TEST(ValueAxis, HoldsForAnyRange) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [low, high] :
       {std::pair{std::nan(""), 1.0}, {-infinity, infinity}, {0.0, 1e300}}) {
    EXPECT_EQ(axisAround(low, high, 5).low, 0);
    EXPECT_EQ(axisAround(low, high, 5).high, 1);
  }
  std::mt19937 random(3);
  std::uniform_real_distribution<double> exponent(-8, 8), unit(-1, 1);
  std::vector<std::pair<double, double>> ranges{{0, 0},         {5, 5},       {-437, -437},
                                                {1e-15, 1e-15}, {1e15, 1e15}, {-1, 1}};
  for (int i = 0; i < 2000; ++i)
    ranges.emplace_back(unit(random) * std::pow(10, exponent(random)),
                        unit(random) * std::pow(10, exponent(random)));
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto& [one, other] = ranges[i];
    const int most = 3 + static_cast<int>(i % 8);
    const ValueAxis axis = axisAround(one, other, most);
    ASSERT_LT(axis.low, axis.high);
    const double slack = 1e-9 * (axis.high - axis.low);
    EXPECT_LE(axis.low, std::min(one, other) + slack);
    EXPECT_GE(axis.high, std::max(one, other) - slack);
    EXPECT_GE(axis.ticks.size(), 1U);
    EXPECT_LE(axis.ticks.size(), static_cast<std::size_t>(most) + 1);
    for (std::size_t tick = 0; tick < axis.ticks.size(); ++tick) {
      EXPECT_GE(axis.share(axis.ticks[tick]), -1e-9);
      EXPECT_LE(axis.share(axis.ticks[tick]), 1 + 1e-9);
      EXPECT_FALSE(axis.ticks[tick] == 0 && std::signbit(axis.ticks[tick]));
      EXPECT_TRUE(tick == 0 || axis.ticks[tick] > axis.ticks[tick - 1]);
    }
  }
}

testing::DrawnTexts drawnTime(int width, std::int64_t span, const QLocale& locale) {
  constexpr std::int64_t kTo = kMonday + 10 * kHourMs;
  return recorded({width, 200}, [&](QPainter& painter) {
    drawTime(painter, QRect(50, 20, width - 62, 130), kTo - span, kTo, kPalette, QTimeZone::utc(),
             locale);
  });
}

// It tries every zoom, many widths, and languages with short or long words.
TEST(DrawAxes, TimeLabelsNeverTouch) {
  for (const int width : {200, 400, 1600})
    for (const QLocale& locale :
         {QLocale(QLocale::English, QLocale::UnitedStates), QLocale(QLocale::German),
          QLocale(QLocale::Finnish), QLocale(QLocale::Japanese)})
      for (std::int64_t span = 10'000; span < 730 * kDayMs; span = span * 17 / 10) {
        const auto drawn = drawnTime(width, span, locale);
        EXPECT_EQ(collision(drawn, QRectF(0, 0, width, 200)).toStdString(), "")
            << width << ' ' << span << ' ' << locale.name().toStdString();
        EXPECT_GE(drawn.texts.size(), 1U) << width << ' ' << span;
      }
  const QStringList words = drawnTime(400, kHourMs, kBritish).words();
  EXPECT_TRUE(words.contains("09:30") && words.contains("Mon 3 Mar 2025"))
      << "the date is always there: " << qPrintable(words.join('|'));
}

TEST(DrawAxes, ValueLabelsNeverTouch) {
  for (const int length : {20, 60, 130, 400, 700})
    for (const double high : {1e-6, 0.5, 40.0, 12'345'678.0}) {
      const QSize tall(800, length + 60), wide(length + 100, 100);
      const auto upwards = recorded(tall, [&](QPainter& painter) {
        const QFontMetrics metrics(painter.font(), painter.device());
        const ValueAxis axis = axisAround(0, high, ticksUpwards(length, metrics));
        const int left = valueAxisWidth(axis, metrics, kBritish);
        drawValuesUpwards(painter, QRect(left, 20, 700, length), axis, kPalette, kBritish);
      });
      EXPECT_EQ(collision(upwards, QRectF({0, 0}, tall)).toStdString(), "") << high;
      EXPECT_GE(upwards.texts.size(), 1U);
      const auto along = recorded(wide, [&](QPainter& painter) {
        const QFontMetrics metrics(painter.font(), painter.device());
        drawValuesAlong(painter, QRect(50, 20, length, 40),
                        axisAround(0, high, ticksAlong(length, metrics)), kPalette, kBritish);
      });
      EXPECT_EQ(collision(along, QRectF({0, 0}, wide)).toStdString(), "") << high;
    }
}

std::int64_t utc(int year, int month, int day, int hour, int minute = 0) {
  return QDateTime(QDate(year, month, day), QTime(hour, minute), QTimeZone::utc())
      .toMSecsSinceEpoch();
}

class TimeAxisIn : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    zone_ = QTimeZone(GetParam());
    if (!zone_.isValid()) GTEST_SKIP() << "no time zone data for " << GetParam();
  }
  QDateTime wall(std::int64_t utcMs) const { return QDateTime::fromMSecsSinceEpoch(utcMs, zone_); }
  QTimeZone zone_;
};

// From the last minute to years, no zone has too many, duplicate or outside ticks.
TEST_P(TimeAxisIn, AnySpanHasAFewTicksInOrder) {
  const std::int64_t to = utc(2025, 11, 4, 15, 12);
  for (std::int64_t span = 10'000; span < 40 * 365 * kDayMs; span = span * 13 / 10)
    for (const int most : {2, 5, 12}) {
      const auto ticks = timeTicks(to - span, to, most, zone_, kBritish);
      // A clock change may add one tick, and both ends may have one.
      EXPECT_LE(ticks.size(), static_cast<std::size_t>(most) + 2) << span;
      EXPECT_TRUE(most < 12 || span >= 30 * 365 * kDayMs || ticks.size() >= 3) << span;
      for (std::size_t i = 0; i < ticks.size(); ++i) {
        EXPECT_GE(ticks[i].utcMs, to - span);
        EXPECT_LE(ticks[i].utcMs, to);
        EXPECT_FALSE(ticks[i].label.isEmpty());
        EXPECT_TRUE(i == 0 || ticks[i].utcMs > ticks[i - 1].utcMs);
      }
    }
}

// Hours are full hours of local time (also in Kathmandu, 5:45 ahead), days are where dates begin.
TEST_P(TimeAxisIn, HoursAndDaysAreTheWallClocks) {
  const std::int64_t spring = utc(2025, 3, 29, 0), autumn = utc(2018, 10, 30, 12);
  for (const TimeTick& tick : timeTicks(spring, spring + 3 * kDayMs, 12, zone_, kBritish)) {
    EXPECT_EQ(wall(tick.utcMs).time().minute(), 0);
    EXPECT_EQ(wall(tick.utcMs).time().hour() % 6, 0) << tick.label.toStdString();
  }
  const auto days = timeTicks(autumn, autumn + 10 * kDayMs, 10, zone_, kBritish);
  EXPECT_GE(days.size(), 9U);
  for (const TimeTick& tick : days)
    EXPECT_NE(wall(tick.utcMs).date(), wall(tick.utcMs).addMSecs(-1).date());
}

INSTANTIATE_TEST_SUITE_P(Zones, TimeAxisIn,
                         ::testing::Values("UTC", "Europe/Berlin", "America/New_York",
                                           "Asia/Kathmandu", "Australia/Lord_Howe",
                                           "America/Sao_Paulo"));

TEST(TimeAxis, AnHourIsMissingInSpringAndThereTwiceInAutumn) {
  const QTimeZone berlin("Europe/Berlin");
  if (!berlin.isValid()) GTEST_SKIP() << "no time zone data";
  const auto labels = [&](std::int64_t from, std::int64_t to) {
    QStringList list;
    for (const TimeTick& tick : timeTicks(from, to, 8, berlin, kBritish)) list << tick.label;
    return list;
  };
  EXPECT_EQ(labels(utc(2025, 3, 29, 22, 30), utc(2025, 3, 30, 4)),
            (QStringList{"00:00", "01:00", "03:00", "04:00", "05:00", "06:00"}));
  EXPECT_EQ(labels(utc(2025, 10, 25, 21, 30), utc(2025, 10, 26, 3)),
            (QStringList{"00:00", "01:00", "02:00", "02:00", "03:00", "04:00"}));
}

TEST(TimeAxis, LabelsAndContextsOfEachStep) {
  const struct {
    std::int64_t span;
    const char *label, *context;
  } steps[] = {{20'000, "00:00:00", "Mon 3 Mar 2025"}, {20 * kMinuteMs, "00:00", "Mon 3 Mar 2025"},
               {6 * kDayMs, "Mon 3", "March 2025"},    {40 * kDayMs, "3 Mar", "2025"},
               {200 * kDayMs, "Apr", "2025"},          {2000 * kDayMs, "2026", ""}};
  for (const auto& step : steps) {
    const TimeTick first =
        timeTicks(kMonday, kMonday + step.span, 8, QTimeZone::utc(), kBritish).front();
    EXPECT_EQ(first.label, step.label);
    EXPECT_EQ(first.context, step.context);
  }
  EXPECT_TRUE(timeTicks(kMonday, kMonday, 8, QTimeZone::utc(), kBritish).empty());
  EXPECT_TRUE(timeTicks(kMonday, kMonday - 1, 8, QTimeZone::utc(), kBritish).empty());
}

TEST(TimeAxis, FollowsTheLocale) {
  const QLocale american(QLocale::English, QLocale::UnitedStates);
  const QTimeZone zone = QTimeZone::utc();
  const std::int64_t afternoon = kMonday + 14 * kHourMs;
  EXPECT_EQ(timeTicks(afternoon, afternoon + 20 * kMinuteMs, 8, zone, american).front().label,
            american.toString(QTime(14, 0), "h:mm AP"));
  EXPECT_EQ(
      timeTicks(afternoon, afternoon + 20'000, 8, zone, QLocale(QLocale::Finnish)).front().label,
      "14.00.00");
  EXPECT_EQ(momentText(afternoon, false, zone, kBritish), "Mon 3 Mar 2025 14:00");
  EXPECT_EQ(momentText(afternoon, true, zone, kBritish), "Mon 3 Mar 2025 14:00:00");
}

}  // namespace
}  // namespace mpm::gui
