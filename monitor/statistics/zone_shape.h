// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace mpm::monitor {

/// Where a polygon's edges go through the height `y`, from left to right: inside is from the first
/// to the second, the third to the fourth, ... An edge belongs to its upper end (the smaller y) and
/// not to its lower one, and an edge that two polygons share is in the same place for both.
void crossingsAt(const std::vector<cv::Point2d>& corners, double y, std::vector<double>& places);

/// Whether anything is inside.
bool hasArea(const std::vector<cv::Point2d>& corners);

/// The first of `width` columns, over the whole picture, whose centre is not left of `x` (0 to 1).
int firstColumn(double x, int width);

}  // namespace mpm::monitor
