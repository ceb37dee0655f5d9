// SPDX-License-Identifier: Apache-2.0
#pragma once

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
Outline roundBox(double left, double top, double right, double bottom, double radius);
/// Catmull-Rom through the corners, `steps` points for each; the first and last are joined.
Outline smooth(const Outline& corners, int steps);

}  // namespace mpm::scenes
