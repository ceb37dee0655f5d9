// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mpm::cli {

/// A range of values that an axis shows.
struct Range {
  double low = 0, high = 1;
};

/// Round values within the range, in steps of 1, 2 or 5 times a power of ten; about `count` of
/// them. One where the range is empty.
std::vector<double> ticksOf(const Range& range, int count);

/// The values as words, all with as many digits behind the point as telling them apart takes.
std::vector<std::string> wordsOf(const std::vector<double>& ticks);

/// Finds places for labels beside their points, so that none covers a point or another label.
class LabelPlaces {
 public:
  /// Labels stay within `area`.
  explicit LabelPlaces(const cv::Rect2d& area) : area_(area) {}

  /// Nothing may stand here.
  void keepFree(const cv::Rect2d& area) { taken_.push_back(area); }

  /// Where a label of this size goes that belongs to a point with this radius; nothing where all
  /// places around it are taken. Places are tried from near to far, right and above first; what it
  /// gives is taken from then on.
  std::optional<cv::Rect2d> place(const cv::Point2d& point, double radius, const cv::Size2d& size);

 private:
  bool isFree(const cv::Rect2d& place) const;

  cv::Rect2d area_;
  std::vector<cv::Rect2d> taken_;
};

}  // namespace mpm::cli
