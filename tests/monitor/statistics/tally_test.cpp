// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "monitor/statistics/series.h"

namespace mpm::test {
namespace {

using monitor::Tally;

TEST(Tally, OfNoneIsNothing) {
  Tally tally;
  tally.add(std::numeric_limits<double>::quiet_NaN());
  tally.add(-std::numeric_limits<double>::infinity());
  EXPECT_EQ(tally, Tally());
  EXPECT_TRUE(std::isnan(tally.mean()));
  EXPECT_TRUE(std::isnan(tally.deviation()));
}

TEST(Tally, CountsWhatIsKnown) {
  Tally tally;
  for (const double value : {2.0, std::nan(""), 4.0, 9.0}) tally.add(value);
  EXPECT_EQ(tally.count, 3u);
  EXPECT_EQ(tally.mean(), 5);
  EXPECT_EQ(tally.squares, 4 + 16 + 81);
  EXPECT_DOUBLE_EQ(tally.deviation(), std::sqrt((9 + 1 + 16) / 2.0));
  EXPECT_EQ(tally.smallest, 2);
  EXPECT_EQ(tally.largest, 9);
}

TEST(Tally, AddsAnother) {
  Tally one, other, both;
  for (const double value : {1.0, 2.0}) one.add(value), both.add(value);
  for (const double value : {-3.0, 8.0, 0.5}) other.add(value), both.add(value);
  one.add(other);
  one.add(Tally());
  EXPECT_EQ(one, both);
}

TEST(Tally, EqualValuesHaveNoDeviation) {
  Tally tally;
  for (int i = 0; i < 1000; ++i) tally.add(0.1);
  EXPECT_FALSE(std::isnan(tally.deviation()));
  EXPECT_NEAR(tally.deviation(), 0, 1e-7);  // half the digits of the values
  Tally one;
  one.add(3);
  EXPECT_TRUE(std::isnan(one.deviation()));
}

}  // namespace
}  // namespace mpm::test
