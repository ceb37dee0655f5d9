// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

namespace mpm::teach {

/// What tells a head where in the picture a place is: cosines of three half waves at most each way,
/// and their products. Smooth, so that a camera that was nudged changes little.
constexpr int kHalfWaves = 3, kPlaceTerms = (kHalfWaves + 1) * (kHalfWaves + 1) - 1;

/// Of each place of a grid, row by row: [places x kPlaceTerms], CV_32F, from -1 to 1.
cv::Mat placeTerms(const cv::Size& grid);

/// Features [places x D] with these terms behind them: [places x D + kPlaceTerms].
cv::Mat withPlaces(const cv::Mat& features, const cv::Size& grid);

}  // namespace mpm::teach
