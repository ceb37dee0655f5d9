// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

namespace mpm::monitor {

/// How a picture lies against a reference of the same scene. Lengths are shares of the picture's
/// width, so that it is the same for any size of both.
struct Placement {
  cv::Point2d shift;   ///< where the middle of the reference is in the picture: to the right, down
  double degrees = 0;  ///< how far the scene is turned about it, clockwise
  double fit = 0;      ///< correlation of details where both overlap: 1 the same, about 0 unrelated
  double fitUnmoved = 0;  ///< the same if nothing is moved

  /// How far the corner that moved most has moved.
  double reach(const cv::Size& size) const;
};

/// From a point of the reference to the same in the picture, in pixels of pictures of this size.
cv::Matx23d transformOf(const Placement& placement, const cv::Size& size);

/// Keeps what of a picture can be compared in other light: `grey` CV_32F of 0 to 255, less its
/// surroundings and divided by the contrast there. Next to 0 where there is no structure.
cv::Mat detailsOf(const cv::Mat& grey);

/// Finds shifts of up to a third of the picture and turns of up to 30 degrees; the scale is taken
/// as it is. Of detailsOf, both of one size. Brightness, contrast and their slow course over the
/// picture do not matter: only details are compared, each by the contrast around it. Where `fit` is
/// no better than `fitUnmoved` or next to 0 the rest means nothing. Some 15 ms at a width of 160.
Placement placementOfDetails(const cv::Mat& reference, const cv::Mat& details);

/// Places what has hardly moved, by two percent of the width at most: ten times as fast, and
/// where it is not near it finds a lower fit or none.
Placement nearPlacementOfDetails(const cv::Mat& reference, const cv::Mat& details);

/// Correlation of two matrices CV_32F about 0, from -1 to 1; 0 where one of them is nothing.
double correlation(const cv::Mat& a, const cv::Mat& b);

/// Grey values CV_32F, at most so wide; pixels are averaged, by whole numbers where there are many.
cv::Mat reducedGrey(const cv::Mat& picture, int mostWidth);

}  // namespace mpm::monitor
