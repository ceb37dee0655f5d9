// SPDX-License-Identifier: Apache-2.0
#include "cli/chart/label_places.h"

#include <algorithm>

namespace mpm::cli {

bool LabelPlaces::isFree(const cv::Rect2d& place) const {
  if ((place & area_) != place) return false;
  return std::none_of(taken_.begin(), taken_.end(),
                      [&](const cv::Rect2d& taken) { return (place & taken).area() > 0; });
}

std::optional<cv::Rect2d> LabelPlaces::place(const cv::Point2d& point, double radius,
                                             const cv::Size2d& size) {
  // By how much of its width and height a label lies left of and above the place beside its point.
  constexpr double kSides[][2] = {{1, -1}, {1, 0},  {0, -1}, {-1, -1},
                                  {1, 1},  {-1, 0}, {0, 1},  {-1, 1}};
  for (const double distance : {4.0, 12.0, 22.0, 34.0}) {
    for (const auto& [right, down] : kSides) {
      const double reach = right != 0 && down != 0 ? 0.7 * (radius + distance) : radius + distance;
      const cv::Point2d centre(point.x + right * (reach + size.width / 2),
                               point.y + down * (reach + size.height / 2));
      const cv::Rect2d found(centre.x - size.width / 2, centre.y - size.height / 2, size.width,
                             size.height);
      if (!isFree(found)) continue;
      taken_.push_back(found);
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace mpm::cli
