// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace mpm::gui {

/// The areas that a frame falls into, from fine to coarse: neighbours that look alike become one,
/// those that differ least first. An area of a coarser cut holds whole areas of a finer one.
class Areas {
 public:
  /// Finds them in a frame, CV_8UC3 (BGR), which is made smaller first. Takes some tenths of a
  /// second.
  explicit Areas(const cv::Mat& frame);

  /// Gives which area each pixel of the smaller frame is in, where there are so many areas, or as
  /// many as it has pixels: CV_32S. The numbers count for this cut alone.
  cv::Mat cut(int areas) const;

 private:
  static constexpr int kMostPixels = 60'000;

  cv::Size size_;
  std::vector<int> parents_;  // of each node: pixels first, then what two nodes became, in order
};

}  // namespace mpm::gui
