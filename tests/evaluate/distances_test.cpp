// SPDX-License-Identifier: Apache-2.0
#include "evaluate/distances.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace mpm::test {
namespace {

using evaluate::Distances;
using evaluate::pairDistances;

// Every patch its own token.
cv::Mat identity(const cv::Size& grid) {
  cv::Mat map(grid, CV_32S);
  for (int i = 0; i < grid.area(); ++i) map.at<int>(i / grid.width, i % grid.width) = i;
  return map;
}

// Two neighbours, and two patches three columns and two rows apart.
TEST(Distances, OfPairsOfPatches) {
  const cv::Mat after = (cv::Mat_<int>(3, 4) << 0, 0, 1, 2, 3, 4, 5, 6, 2, 7, 8, 9);
  EXPECT_EQ(pairDistances({}, after), (Distances{{1000, 1}, {3606, 1}}));
  EXPECT_EQ(pairDistances(identity({4, 3}), after), pairDistances({}, after));
}

TEST(Distances, OfAMergeThatMergesNothingThereAreNone) {
  const Distances none = pairDistances({}, identity({5, 2}));
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(evaluate::pairsOf(none), 0U);
  EXPECT_TRUE(std::isnan(evaluate::shareWithin(none, 1)));
  EXPECT_TRUE(std::isnan(evaluate::meanDistance(none)));
  EXPECT_TRUE(std::isnan(evaluate::medianDistance(none)));
}

// The second merge's tokens are where the middle of their patches is.
TEST(Distances, OfTokensThatArePairsThemselves) {
  const cv::Mat before = (cv::Mat_<int>(1, 6) << 0, 0, 1, 1, 2, 3);
  const cv::Mat after = (cv::Mat_<int>(1, 6) << 0, 0, 0, 0, 1, 1);
  EXPECT_EQ(pairDistances(before, after), (Distances{{1000, 1}, {2000, 1}}));
  EXPECT_EQ(pairDistances(before.colRange(0, 2), after.colRange(0, 2)), Distances{});
  const cv::Mat three = (cv::Mat_<int>(1, 3) << 0, 0, 1), one = (cv::Mat_<int>(1, 3) << 0, 0, 0);
  EXPECT_EQ(pairDistances(three, one), (Distances{{1500, 1}}));
}

TEST(Distances, MapsThatNoMergeMakes) {
  const cv::Mat three = (cv::Mat_<int>(1, 3) << 0, 0, 0);
  EXPECT_THROW(pairDistances({}, three), std::invalid_argument);
  const cv::Mat pair = (cv::Mat_<int>(1, 3) << 0, 0, 1), torn = (cv::Mat_<int>(1, 3) << 0, 1, 1);
  EXPECT_THROW(pairDistances(pair, torn), std::invalid_argument);
  EXPECT_THROW(pairDistances({}, (cv::Mat_<int>(1, 3) << 0, 1, 3)), std::invalid_argument);
  EXPECT_THROW(pairDistances({}, (cv::Mat_<int>(1, 3) << 0, 1, -1)), std::invalid_argument);
  EXPECT_THROW(pairDistances(pair, identity({2, 1})), std::invalid_argument);
  EXPECT_THROW(pairDistances({}, cv::Mat(2, 2, CV_32F, cv::Scalar(0))), std::invalid_argument);
}

TEST(Distances, RandomPairsAreAllPairs) {
  const cv::Size grid(5, 4);
  Distances all;
  for (int a = 0; a < grid.area(); ++a) {
    for (int b = 0; b < a; ++b) {
      const double dx = a % grid.width - b % grid.width, dy = a / grid.width - b / grid.width;
      ++all[static_cast<int>(std::lround(1000 * std::sqrt(dx * dx + dy * dy)))];
    }
  }
  EXPECT_EQ(evaluate::randomDistances(grid), all);
}

TEST(Distances, SharesMeanAndMedian) {
  const Distances distances = {{1000, 5}, {1414, 2}, {2000, 1}, {5000, 2}};
  EXPECT_EQ(evaluate::pairsOf(distances), 10U);
  EXPECT_DOUBLE_EQ(evaluate::shareWithin(distances, 0.9), 0);
  EXPECT_DOUBLE_EQ(evaluate::shareWithin(distances, 1), 0.5);
  EXPECT_DOUBLE_EQ(evaluate::shareWithin(distances, std::sqrt(2.0)), 0.7);
  EXPECT_DOUBLE_EQ(evaluate::shareWithin(distances, 5), 1);
  EXPECT_NEAR(evaluate::meanDistance(distances), (5 + 2 * 1.414 + 2 + 10) / 10, 1e-12);
  EXPECT_DOUBLE_EQ(evaluate::medianDistance(distances), 1);
  EXPECT_DOUBLE_EQ(evaluate::medianDistance({{1000, 1}, {3000, 2}}), 3);
}

}  // namespace
}  // namespace mpm::test
