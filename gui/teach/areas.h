// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace mpm::gui {

/// Divides a frame into areas, from fine to coarse: neighbours that look alike become one, the most
/// similar first. An area of a coarser cut contains whole areas of a finer one.
class Areas {
 public:
  /// Finds them in a frame, CV_8UC3 (BGR), which is scaled down first. Takes some tenths of a
  /// second.
  explicit Areas(const cv::Mat& frame);

  /// Returns each pixel's area in the reduced frame, cut into this many areas, or as many as it has
  /// pixels: CV_32S. Numbers are valid for this cut only.
  cv::Mat cut(int areas) const;

 private:
  static constexpr int kMostPixels = 60'000;

  cv::Size size_;
  std::vector<int> parents_;  // of each node: pixels first, then what two nodes became, in order
};

}  // namespace mpm::gui
