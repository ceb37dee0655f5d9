// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <opencv2/core.hpp>
#include <vector>

#include "monitor/statistics/zones.h"

namespace mpm::monitor {

/// Four points of flat ground, in turn around: where they are in the picture, from (0, 0) to
/// (1, 1), and in metres, from any corner and in any direction.
struct Ground {
  std::array<cv::Point2d, 4> points, metres;
  bool operator==(const Ground&) const = default;
};

/// What lies where in the picture (0 to 1), of ground that checkGround lets pass. `depth` is how
/// far away a place is, as seen along the camera's axis, in shares of the farthest of the four
/// points: infinite at the horizon, below 0 above it.
class GroundPlane {
 public:
  explicit GroundPlane(const Ground& ground);
  double depthAt(const cv::Point2d& place) const;
  /// Square metres of the whole picture's area, if all of it were as large as this place.
  double scaleAt(const cv::Point2d& place) const;

 private:
  double nearnessAt(const cv::Point2d& place) const;
  cv::Matx33d toMetres_;
  double determinant_ = 0, farthest_ = 1;
};

/// How far, in GroundPlane's depths, a zone may reach whose square metres are measured: beyond that
/// a pixel's error is metres, and there is no ground above the horizon.
constexpr double kMostDepth = 4;

/// std::invalid_argument, one sentence: points outside the picture, that are not finite, three on a
/// line or nearly, not in turn around; and a zone on the ground that reaches farther than
/// kMostDepth.
void checkGround(const Ground& ground);
void checkOnGround(const Zone& zone, const Ground& ground);

/// How many square metres of the ground each class takes: within the four points, and in each zone
/// that is on the ground. A pixel counts where its centre is, with what it covers there.
class GroundAreas {
 public:
  /// std::invalid_argument as above; `zones` that are not on the ground are left out.
  GroundAreas(const Ground& ground, const std::vector<Zone>& zones, int classes);
  /// Where they are from now on, outside the picture, too.
  void place(const Ground& ground, const std::vector<Zone>& zones);
  /// `labels`: CV_8U or CV_16U. Each class within the four points, then in the first zone, ...; NaN
  /// in what covers no pixel's centre.
  const std::vector<double>& measure(const cv::Mat& labels);

 private:
  void divide(const cv::Size& size);
  template <typename Label>
  void count(const cv::Mat& labels);

  int classes_;
  Ground ground_;
  std::vector<Zone> zones_;
  cv::Size size_;
  cv::Mat scale_;                            // CV_32F: square metres of each pixel that counts
  std::vector<std::vector<RowSpan>> spans_;  // of the four points, then of each zone
  std::vector<double> areas_;
};

}  // namespace mpm::monitor
