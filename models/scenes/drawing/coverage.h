// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

namespace mpm::scenes {

/// A closed polygon in pixels: (0, 0) is the first pixel's corner, (0.5, 0.5) its centre.
using Outline = std::vector<cv::Point2d>;

Outline ellipse(cv::Point2d centre, double radiusX, double radiusY, int points = 0);
inline Outline circle(cv::Point2d centre, double radius) { return ellipse(centre, radius, radius); }
/// A line with round ends, `fromWidth` wide where it starts.
Outline stroke(cv::Point2d from, cv::Point2d to, double fromWidth, double toWidth);
Outline box(double left, double top, double right, double bottom);
/// Catmull-Rom through the corners, `steps` points for each; the first and last are joined.
Outline smooth(const Outline& corners, int steps);

/// How much of each pixel a polygon covers, by area. OpenCV's anti-aliased fill draws soft lines
/// around a hard polygon and so covers half a pixel too much; labels need the share that is true.
/// Polygons may turn either way; where one overlaps itself it counts once.
class Coverage {
 public:
  /// False, and nothing to read, where it covers nothing of `clip`.
  bool cover(const Outline& outline, const cv::Rect& clip);
  const cv::Rect& area() const { return area_; }  ///< the pixels that rows tell of
  const std::uint8_t* row(int y) const {          ///< of a row of `area`; 255: all of the pixel
    return shares_.data() + static_cast<std::size_t>(y - area_.y) * area_.width;
  }

 private:
  void addEdge(cv::Point2d from, cv::Point2d to);
  void addSlice(float* row, double left, double right, double height) const;

  cv::Rect area_;
  std::vector<float> steps_;  // change of coverage from pixel to pixel
  std::vector<std::uint8_t> shares_;
};

}  // namespace mpm::scenes
