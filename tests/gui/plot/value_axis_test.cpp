// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/value_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

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
  EXPECT_EQ(axis.ticks, (std::vector<double>{5}));
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

}  // namespace
}  // namespace mpm::gui
