// SPDX-License-Identifier: Apache-2.0
#include "evaluate/truth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>

#include "evaluate/label_pictures.h"

namespace mpm::test {
namespace {

using evaluate::LabelRule;
using evaluate::nearEdges;

bool isEdge(const cv::Mat& truth, int y, int x) {
  const auto at = [&](int row, int column) { return truth.at<std::uint16_t>(row, column); };
  const int here = at(y, x);
  if (here == LabelRule::kIgnored) return false;
  for (const auto& [dy, dx] : {std::pair{0, 1}, {0, -1}, {1, 0}, {-1, 0}}) {
    const int row = y + dy, column = x + dx;
    if (row < 0 || column < 0 || row >= truth.rows || column >= truth.cols) continue;
    if (at(row, column) != here && at(row, column) != LabelRule::kIgnored) return true;
  }
  return false;
}

// As the contract says it.
bool isNear(const cv::Mat& truth, int y, int x, int distance) {
  for (int row = 0; row < truth.rows; ++row) {
    for (int column = 0; column < truth.cols; ++column) {
      const int steps = std::max(std::abs(row - y), std::abs(column - x));
      if (steps < distance && isEdge(truth, row, column)) return true;
    }
  }
  return false;
}

TEST(Edges, AreWhereAnotherClassIsNear) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (const int distance : {1, 2, 3, 5}) {
    cv::Mat truth;
    drawnNumbers({23, 17}, {0, 1, 2, 255}, seed + static_cast<unsigned>(distance))
        .convertTo(truth, CV_16U);
    truth.setTo(LabelRule::kIgnored, truth == 255);
    const cv::Mat near = nearEdges(truth, distance);
    ASSERT_EQ(near.type(), CV_8U);
    for (int y = 0; y < truth.rows; ++y) {
      for (int x = 0; x < truth.cols; ++x) {
        EXPECT_EQ(near.at<uchar>(y, x), isNear(truth, y, x, distance) ? 255 : 0)
            << y << ' ' << x << " within " << distance;
      }
    }
  }
}

TEST(Edges, ABandOfThreePixelsOnBothSides) {
  cv::Mat truth(4, 20, CV_16U, cv::Scalar(0));
  truth.colRange(10, 20).setTo(1);
  const cv::Mat near = nearEdges(truth, 3);
  EXPECT_EQ(cv::countNonZero(near), 4 * 6);
  EXPECT_EQ(cv::countNonZero(near.colRange(7, 13)), 4 * 6);
}

TEST(Edges, WhatIsIgnoredMakesNone) {
  cv::Mat truth(6, 20, CV_16U, cv::Scalar(0));
  truth.colRange(8, 12).setTo(LabelRule::kIgnored);
  EXPECT_EQ(cv::countNonZero(nearEdges(truth, 3)), 0);
}

}  // namespace
}  // namespace mpm::test
