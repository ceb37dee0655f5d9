// SPDX-License-Identifier: Apache-2.0
#include "teach/head.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

cv::Mat randomMatrix(int rows, int columns, unsigned seed) {
  cv::Mat matrix(rows, columns, CV_32F);
  cv::RNG(seed).fill(matrix, cv::RNG::UNIFORM, -1, 1);
  return matrix;
}

TEST(Products, AreThoseOfMatrices) {
  for (const int classes : {1, 2, 12, 16, 17, 40}) {
    for (const int places : {1, 3, 4, 49}) {
      const cv::Mat features = randomMatrix(places, 23, 1);
      const cv::Mat weights = randomMatrix(23, classes, 2);
      const cv::Mat slopes = randomMatrix(places, classes, 3);
      const cv::Mat scores = features * weights, sums = features.t() * slopes;
      EXPECT_LT(cv::norm(teach::timesWeights(features, weights), scores, cv::NORM_INF), 1e-4);
      EXPECT_LT(cv::norm(teach::timesSlopes(features, slopes), sums, cv::NORM_INF), 1e-4);
    }
  }
}

}  // namespace
}  // namespace mpm::test
