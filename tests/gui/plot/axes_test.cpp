// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/axes.h"

#include <gtest/gtest.h>

#include <QGuiApplication>
#include <QLocale>
#include <cmath>
#include <limits>
#include <random>

#include "gui/plot/palettes.h"
#include "gui/plot/synthetic_source.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

const QLocale kBritish(QLocale::English, QLocale::UnitedKingdom);

TEST(ValueAxis, TicksAreRound) {
  const ValueAxis axis = axisAround(401, 470, 5);
  EXPECT_EQ(axis.ticks, (std::vector<double>{400, 420, 440, 460}));
  EXPECT_EQ(axis.low, 400);
  EXPECT_EQ(axis.high, 472);
  EXPECT_EQ(axis.label(440, kBritish), "440");
}

// Seen: the times of a network, from 440 to 540 ms, with "500" alone below them.
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

TEST(ValueAxis, LabelsHaveTheDecimalsThatTellThemApart) {
  const ValueAxis axis = axisAround(0, 0.05, 6);
  EXPECT_EQ(axis.decimals, 2);
  EXPECT_EQ(axis.label(0.01, kBritish), "0.01");
  EXPECT_EQ(axis.label(0.01, QLocale(QLocale::German)), "0,01");
  EXPECT_EQ(axisAround(0, 4'000'000, 5).label(1'000'000, kBritish), "1,000,000");
}

TEST(ValueAxis, ZeroIsNotNegative) {
  for (const double tick : axisAround(-1, 1, 5).ticks)
    if (tick == 0) {
      EXPECT_FALSE(std::signbit(tick));
    }
}

TEST(ValueAxis, RoomAroundASingleValue) {
  for (const double value : {0.0, 5.0, -437.0, 1e-15, 1e15}) {
    const ValueAxis axis = axisAround(value, value, 5);
    EXPECT_LT(axis.low, value + 1e-12);
    EXPECT_GT(axis.high, value);
    EXPECT_FALSE(axis.ticks.empty());
  }
}

TEST(ValueAxis, WhatIsNotFiniteIsZeroToOne) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [low, high] :
       {std::pair{std::nan(""), 1.0}, {-infinity, infinity}, {0.0, 1e300}}) {
    const ValueAxis axis = axisAround(low, high, 5);
    EXPECT_EQ(axis.low, 0);
    EXPECT_EQ(axis.high, 1);
  }
}

TEST(ValueAxis, WithinKeepsTheEnds) {
  const ValueAxis axis = axisWithin(0.3, 9.7, 5);
  EXPECT_EQ(axis.low, 0.3);
  EXPECT_EQ(axis.high, 9.7);
  EXPECT_EQ(axis.ticks, (std::vector<double>{2, 4, 6, 8})) << "one alone would not tell a length";
  EXPECT_EQ(axisWithin(9.7, 0.3, 5).low, 0.3);
}

TEST(ValueAxis, HoldsForAnyRange) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> exponent(-8, 8), unit(-1, 1);
  for (int i = 0; i < 2000; ++i) {
    const double one = unit(random) * std::pow(10, exponent(random));
    const double other = unit(random) * std::pow(10, exponent(random));
    const int most = 3 + i % 8;
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
      if (tick > 0) {
        EXPECT_GT(axis.ticks[tick], axis.ticks[tick - 1]);
      }
    }
  }
}

TEST(ValueAxis, DecimalsShowThreeFigures) {
  EXPECT_EQ(decimalsFor(437), 0);
  EXPECT_EQ(decimalsFor(99.96), 0);
  EXPECT_EQ(decimalsFor(43.7), 1);
  EXPECT_EQ(decimalsFor(-4.37), 2);
  EXPECT_EQ(decimalsFor(0.437), 3);
  EXPECT_EQ(decimalsFor(0.0437), 4);
  EXPECT_EQ(decimalsFor(0), 0);
  EXPECT_EQ(decimalsFor(std::nan("")), 0);
  EXPECT_EQ(decimalsFor(1e-30), 9);
}

using testing::collision;
using testing::kDayMs;
using testing::kHourMs;
using testing::kMonday;
using testing::TextRecorder;

const QPalette kPalette = testing::lightPalette();

// Every zoom, many widths, languages whose words are long or short.
TEST(DrawAxes, TimeLabelsNeverTouch) {
  const QLocale locales[] = {QLocale(QLocale::English, QLocale::UnitedStates),
                             QLocale(QLocale::German), QLocale(QLocale::Finnish),
                             QLocale(QLocale::Japanese)};
  int drawn = 0;
  for (const int width : {200, 400, 1600})
    for (const QLocale& locale : locales)
      for (std::int64_t span = 10'000; span < 730 * kDayMs; span = span * 17 / 10) {
        TextRecorder recorder({width, 200});
        QPainter painter(&recorder);
        drawTime(painter, QRect(50, 20, width - 62, 130), kMonday + 9 * kHourMs - span,
                 kMonday + 9 * kHourMs, kPalette, QTimeZone::utc(), locale);
        painter.end();
        EXPECT_EQ(collision(recorder.drawn, QRectF(0, 0, width, 200)).toStdString(), "")
            << width << ' ' << span << ' ' << locale.name().toStdString();
        EXPECT_GE(recorder.drawn.texts.size(), 1U) << width << ' ' << span;
        drawn += static_cast<int>(recorder.drawn.texts.size());
      }
  EXPECT_GT(drawn, 1000);
}

TEST(DrawAxes, TheDateIsAlwaysThere) {
  TextRecorder recorder({400, 200});
  QPainter painter(&recorder);
  drawTime(painter, QRect(50, 20, 340, 130), kMonday + 9 * kHourMs, kMonday + 10 * kHourMs,
           kPalette, QTimeZone::utc(), QLocale(QLocale::English, QLocale::UnitedKingdom));
  painter.end();
  EXPECT_TRUE(recorder.drawn.words().contains("Mon 3 Mar 2025"))
      << recorder.drawn.words().join('|').toStdString();
  EXPECT_TRUE(recorder.drawn.words().contains("09:30"));
}

TEST(DrawAxes, ValueLabelsNeverTouch) {
  const QLocale locale(QLocale::English, QLocale::UnitedKingdom);
  for (const int height : {20, 60, 130, 400})
    for (const double high : {1e-6, 0.5, 40.0, 12'345'678.0}) {
      TextRecorder recorder({800, height + 60});
      QPainter painter(&recorder);
      const QFontMetrics metrics(painter.font(), &recorder);
      const ValueAxis axis = axisAround(0, high, ticksUpwards(height, metrics));
      const int left = valueAxisWidth(axis, metrics, locale);
      drawValuesUpwards(painter, QRect(left, 20, 700, height), axis, kPalette, locale);
      painter.end();
      EXPECT_EQ(collision(recorder.drawn, QRectF(0, 0, 800, height + 60)).toStdString(), "")
          << high;
      EXPECT_GE(recorder.drawn.texts.size(), 1U);
    }
}

TEST(DrawAxes, ValuesAlongNeverTouch) {
  const QLocale locale(QLocale::English, QLocale::UnitedKingdom);
  for (const int width : {60, 130, 700})
    for (const double high : {1e-6, 0.5, 40.0, 12'345'678.0}) {
      TextRecorder recorder({width + 100, 100});
      QPainter painter(&recorder);
      const QFontMetrics metrics(painter.font(), &recorder);
      drawValuesAlong(painter, QRect(50, 20, width, 40),
                      axisAround(0, high, ticksAlong(width, metrics)), kPalette, locale);
      painter.end();
      EXPECT_EQ(collision(recorder.drawn, QRectF(0, 0, width + 100, 100)).toStdString(), "")
          << high;
    }
}

}  // namespace

}  // namespace mpm::gui
