// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <opencv2/dnn.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dnn/mutual_pair_merge_layer.h"
#include "mpm/export.h"
#include "mpm/segmenter.h"

namespace mpm::segment {

/// Which layer of a net is which step, and where its forwards spent their time.
class MPM_API StepProfile {
 public:
  /// `last`: the name of the last layer that forwards compute; empty: they compute all.
  explicit StepProfile(std::string last = {}) : last_(std::move(last)) {}

  /// Adds where the net's last forward spent its `forwardMs` to `steps`, which is empty or what
  /// this gave before: by OpenCV's profile; what that leaves over is the rest.
  void addLastForward(cv::dnn::Net& net, double forwardMs, std::vector<NetworkStep>& steps);

 private:
  void learn(cv::dnn::Net& net);

  std::string last_;
  std::vector<NetworkStep> steps_;            // without times; the last one is the rest
  std::vector<cv::Ptr<dnn::NetLayer>> ours_;  // as OpenCV counts layers; null: not ours
  std::vector<std::size_t> stepOf_;           // of each layer, those of a chain one by one
};

/// What the merges of a net do in one forward of one picture. They note it on their own, so that
/// the net is asked for nothing more than without: its memory stays laid out as it is, and its
/// schedule may change from one forward to the next. Refers to the net's layers.
class MergeWatch {
 public:
  explicit MergeWatch(cv::dnn::Net& net);

  void start();

  /// Of each merge that was on in the forward since start(), in the net's order; none of `grid`'s
  /// size, none told.
  std::vector<MergeStage> stop(const cv::Size& grid);

 private:
  std::vector<dnn::MutualPairMergeLayer*> merges_;
};

}  // namespace mpm::segment
