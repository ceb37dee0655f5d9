// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/zone_shape.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace mpm::monitor {
namespace {

constexpr double kLeastArea = 1e-9;  // of the picture

}  // namespace

void crossingsAt(const std::vector<cv::Point2d>& corners, double y, std::vector<double>& places) {
  places.clear();
  for (std::size_t i = 0; i < corners.size(); ++i) {
    cv::Point2d upper = corners[i], lower = corners[(i + 1) % corners.size()];
    if (lower.y < upper.y) std::swap(upper, lower);
    if (upper.y > y || lower.y <= y) continue;
    const double share = (y - upper.y) / (lower.y - upper.y);
    places.push_back(upper.x + (lower.x - upper.x) * share);
  }
  std::sort(places.begin(), places.end());
}

bool hasArea(const std::vector<cv::Point2d>& corners) {
  std::vector<double> heights, places;
  for (const cv::Point2d& corner : corners) heights.push_back(corner.y);
  std::sort(heights.begin(), heights.end());
  double area = 0;
  for (std::size_t i = 1; i < heights.size(); ++i) {
    const double height = heights[i] - heights[i - 1];
    if (height <= 0) continue;
    // Edges that cross each other do so at one height, and not at all of these.
    for (const double share : {0.21, 0.5, 0.83}) {
      crossingsAt(corners, heights[i - 1] + share * height, places);
      for (std::size_t k = 1; k < places.size(); k += 2) {
        area += height * (places[k] - places[k - 1]) / 3;
      }
    }
  }
  return area > kLeastArea;
}

int firstColumn(double x, int width) {
  const auto centre = [&](int column) { return (column + 0.5) / width; };
  int column = std::clamp(static_cast<int>(std::ceil(x * width - 0.5)), 0, width);
  while (column > 0 && centre(column - 1) >= x) --column;
  while (column < width && centre(column) < x) ++column;
  return column;
}

}  // namespace mpm::monitor
