// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <opencv2/core.hpp>
#include <utility>

#include "teach/head.h"

namespace mpm::teach {

/// About how a loss curves: by how its features vary together, at some places of all frames. Steps
/// that heed it reach the minimum in half as many as those that have to find it out.
class Curvature {
 public:
  explicit Curvature(const Examples& examples);

  /// The inverse of it for a manner, as minimise() takes it for a Loss. Not from two threads at
  /// once; holds as long as this object.
  Turn turnOf(const Manner& manner);

 private:
  cv::Mat products_;                                   // mean of [1 x D + 1] by itself, CV_64F
  std::map<std::pair<double, int>, cv::Mat> inverse_;  // by decay and idle features, CV_32F
};

}  // namespace mpm::teach
