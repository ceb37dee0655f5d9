// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

namespace mpm::monitor {

/// Placement of a picture relative to a reference of the same scene. Lengths are shares of the
/// picture's width, so any size of both gives the same.
struct Placement {
  cv::Point2d shift;   ///< where the middle of the reference is in the picture: to the right, down
  double degrees = 0;  ///< how far the scene is turned about it, clockwise
  double fit = 0;      ///< correlation of details where both overlap: 1 the same, about 0 unrelated
  double fitUnmoved = 0;  ///< the same if nothing is moved

  /// Returns how far the corner that moved most has moved.
  double reach(const cv::Size& size) const;
};

/// Maps a point of the reference to the picture, in pixels of pictures of this size.
cv::Matx23d transformOf(const Placement& placement, const cv::Size& size);

/// Returns the details of a picture that compare in other light. `grey` is CV_32F of 0 to 255; its
/// surroundings are subtracted, and the local contrast divided out. Near 0 without structure.
cv::Mat detailsOf(const cv::Mat& grey);

/// Finds shifts of up to a third of the picture and rotations of up to 30 degrees, at a fixed
/// scale. Both come from detailsOf and have one size. Brightness, contrast and their gradients do
/// not matter: only details are compared, each by the contrast around it. The rest is meaningless
/// if `fit` is no better than `fitUnmoved` or near 0. Takes some 15 ms at a width of 160.
Placement placementOfDetails(const cv::Mat& reference, const cv::Mat& details);

/// Places a picture that hardly moved, by at most two percent of the width. It is ten times as
/// fast, and farther away finds a lower fit or none.
Placement nearPlacementOfDetails(const cv::Mat& reference, const cv::Mat& details);

/// Returns the correlation of two CV_32F matrices about 0, from -1 to 1; 0 if one is all zeros.
double correlation(const cv::Mat& a, const cv::Mat& b);

/// Returns grey values CV_32F, at most as wide; wide pictures are averaged by whole factors.
cv::Mat reducedGrey(const cv::Mat& picture, int mostWidth);

}  // namespace mpm::monitor
