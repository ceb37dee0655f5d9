// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <opencv2/core.hpp>

namespace mpm::teach {

/// Terms that tell a head where in the picture a place is: cosines of at most three half waves each
/// way, and their products. They are smooth, so a camera that is nudged changes little.
constexpr int kHalfWaves = 3, kPlaceTerms = (kHalfWaves + 1) * (kHalfWaves + 1) - 1;

// Returns [kHalfWaves + 1 x count] cosines of 0, 1, 2... half waves along an axis.
inline cv::Mat waves(int count) {
  cv::Mat waves(kHalfWaves + 1, count, CV_64F);
  for (int wave = 0; wave < waves.rows; ++wave) {
    for (int i = 0; i < count; ++i)
      waves.at<double>(wave, i) = std::cos(CV_PI * wave * (i + 0.5) / count);
  }
  return waves;
}

/// Returns the terms of each place of a grid, row by row: [places x kPlaceTerms], from -1 to 1.
inline cv::Mat placeTerms(const cv::Size& grid) {
  const cv::Mat across = waves(grid.width), down = waves(grid.height);
  cv::Mat terms(grid.area(), kPlaceTerms, CV_32F);
  for (int place = 0; place < terms.rows; ++place) {
    const int y = place / grid.width, x = place % grid.width;
    for (int term = 1; term <= kPlaceTerms; ++term) {  // 0 is 1 everywhere: the bias
      const int right = term % (kHalfWaves + 1), low = term / (kHalfWaves + 1);
      terms.at<float>(place, term - 1) =
          static_cast<float>(across.at<double>(right, x) * down.at<double>(low, y));
    }
  }
  return terms;
}

/// Appends these terms to features [places x D]: [places x D + kPlaceTerms].
inline cv::Mat withPlaces(const cv::Mat& features, const cv::Size& grid) {
  cv::Mat both;
  cv::hconcat(features, placeTerms(grid), both);
  return both;
}

}  // namespace mpm::teach
