// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "monitor/statistics/zones.h"

namespace mpm::monitor {

/// The green chromatic coordinate of the picture and of each zone, as PhenoCam computes it: means
/// of red, green and blue over all pixels first, then G / (R + G + B). 1/3 is grey.
class Greenness {
 public:
  explicit Greenness(std::vector<Zone> zones) : zones_(std::move(zones)) {}

  /// Where they are from now on, outside the picture, too.
  void place(std::vector<Zone> zones);
  /// `picture`: CV_8UC3, BGR. Of the picture, then of each zone; NaN where it is too dark or too
  /// bright to tell, by PhenoCam's borders: R + G + B below 100 or above 665; and where a zone
  /// covers no pixel's centre. std::invalid_argument on another type.
  const std::vector<double>& measure(const cv::Mat& picture);

 private:
  std::vector<Zone> zones_;
  cv::Size size_;
  std::vector<std::vector<RowSpan>> spans_;  // of each zone
  std::vector<double> greenness_;
};

}  // namespace mpm::monitor
