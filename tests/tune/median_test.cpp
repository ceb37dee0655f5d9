// SPDX-License-Identifier: Apache-2.0
#include "tune/median.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

using tune::median;
using tune::medianRange;
using tune::quantile;

TEST(Median, IsTheMiddleOrBetweenTheTwoInIt) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({9, 1, 2, 4}), 3);
}

TEST(Median, QuantilesAreValuesOfTheirs) {
  const std::vector<double> ten = {7, 3, 9, 1, 5, 2, 8, 4, 10, 6};
  EXPECT_EQ(quantile(ten, 0), 1);
  EXPECT_EQ(quantile(ten, 0.5), 5);
  EXPECT_EQ(quantile(ten, 0.51), 6);
  EXPECT_EQ(quantile(ten, 0.95), 10);
  EXPECT_EQ(quantile(ten, 1), 10);
  EXPECT_EQ(quantile({}, 0.95), 0);
}

// Ranks of the sign test: with 9 values the second and the last but one hold the median in 96 of
// 100 cases, with 16 the fourth (98 of 100; the fifth would hold it in 92).
TEST(Median, ItsRangeLeavesOutWhatIsFar) {
  const auto upTo = [](int count) {
    std::vector<double> values;
    for (int i = count; i > 0; --i) values.push_back(i);
    return values;
  };
  const auto expectRange = [&](int count, double low, double high) {
    EXPECT_EQ(medianRange(upTo(count)).low, low) << count;
    EXPECT_EQ(medianRange(upTo(count)).high, high) << count;
  };
  expectRange(1, 1, 1);
  expectRange(5, 1, 5);
  expectRange(7, 1, 7);
  expectRange(8, 2, 7);
  expectRange(9, 2, 8);
  expectRange(16, 4, 13);
  expectRange(25, 8, 18);
}

}  // namespace
}  // namespace mpm::test
