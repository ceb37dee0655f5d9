// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

/// Reports times by ranks, never by means: a frame that the system delayed must not count.
namespace mpm::tune {

/// Returns the middle value, or the mean of the two in the middle; 0 of none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Returns the smallest value that is at least as large as `share` (0 to 1) of all; 0 of none.
inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

/// Contains the median of the distribution about 19 times in 20, whatever the distribution. (From
/// six values on it is 93% at least.) It lies between the values sqrt(n) ranks below and above the
/// middle. For fewer than eight values these are the extremes.
struct MedianRange {
  double low = 0, high = 0;
};
inline MedianRange medianRange(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const double below = std::ceil(count / 2 - std::sqrt(count)) - 1;
  const auto low = static_cast<std::size_t>(std::max(below, 0.0));
  return {values[low], values[values.size() - 1 - low]};
}

}  // namespace mpm::tune
