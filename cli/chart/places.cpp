// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/chart/places.h"

namespace mpm::cli {
namespace {

constexpr double kRounding = 1e-9;  // of a step

double stepOf(double span, int count) {
  const double rough = span / std::max(1, count);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (rough <= digit * power * (1 + kRounding)) return digit * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<double> ticksOf(const Range& range, int count) {
  if (!(range.high > range.low)) return {range.low};
  const double step = stepOf(range.high - range.low, count);
  std::vector<double> ticks;
  const double first = std::ceil(range.low / step - kRounding);
  for (double i = first; i * step <= range.high + kRounding * step; ++i) ticks.push_back(i * step);
  return ticks;
}

std::vector<std::string> wordsOf(const std::vector<double>& ticks) {
  int digits = 0;
  if (ticks.size() > 1) {
    const double step = ticks[1] - ticks[0];
    digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - kRounding)));
  }
  std::vector<std::string> words;
  for (const double tick : ticks) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, tick == 0 ? 0 : tick);
    words.emplace_back(text);
  }
  return words;
}

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
