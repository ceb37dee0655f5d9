// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/dnn.hpp>
#include <vector>

#include "dnn/mutual_pair_merge_layer.h"
#include "mpm/segmenter.h"

namespace mpm::segment {

/// What the merges of a net do in one forward of one picture. They note it on their own, so that
/// the net is asked for nothing more than without: its memory stays laid out as it is, and its
/// schedule may change from one forward to the next.
class MergeWatch {
 public:
  explicit MergeWatch(cv::dnn::Net& net);

  void start();

  /// Of each merge that was on in the forward since start(), in the net's order; none of `grid`'s
  /// size, none told.
  std::vector<MergeStage> stop(const cv::Size& grid);

 private:
  std::vector<cv::Ptr<dnn::MutualPairMergeLayer>> merges_;
};

}  // namespace mpm::segment
