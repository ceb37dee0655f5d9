// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "mpm/export.h"
#include "mpm/segmenter.h"

namespace mpm::segment {

/// Which layer of a net is which step, and where its forwards spent their time.
class MPM_API StepProfile {
 public:
  /// `last`: the name of the last layer that forwards compute; empty: they compute all.
  explicit StepProfile(cv::dnn::Net& net, const std::string& last = {});

  /// Adds where the net's last forward spent its `forwardMs` to `steps`, which is empty or what
  /// this gave before: by OpenCV's profile; what that leaves over is the rest.
  void addLastForward(cv::dnn::Net& net, double forwardMs, std::vector<NetworkStep>& steps) const;

 private:
  std::vector<NetworkStep> steps_;   // without times; the last one is the rest
  std::vector<std::size_t> stepOf_;  // of each layer, as OpenCV counts them
};

}  // namespace mpm::segment
