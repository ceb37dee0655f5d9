// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace mpm::monitor {

/// What one picture shows, from 0 to 1.
struct Look {
  double luma = 0, contrast = 0;  ///< mean and standard deviation
  double level = 0;               ///< mean luma of the darker three quarters: lamps and headlights
                                  ///< are not in it, the ground that they leave dark is
  double saturation = 0;
  double change = 0;  ///< mean absolute difference of luma to the picture before, 0 at the first
};

/// Looks at small copies, in which noise and texture have averaged out.
class Glance {
 public:
  /// `picture`: CV_8UC3 or CV_8UC1, not empty.
  Look at(const cv::Mat& picture);

 private:
  void shrink(const cv::Mat& picture);

  cv::Mat small_;
  std::vector<float> luma_, before_, ordered_;
};

}  // namespace mpm::monitor
