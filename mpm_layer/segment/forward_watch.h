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

/// Maps the layers of a net to steps, and reports where its forwards spend their time.
class MPM_API StepProfile {
 public:
  /// `last` names the last layer that forwards compute; empty if they compute all.
  explicit StepProfile(std::string last = {}) : last_(std::move(last)) {}

  /// Adds the times of the net's last forward, which took `forwardMs`, to `steps`. Those are empty
  /// or come from an earlier call. OpenCV's profile gives the times; the rest is what it leaves
  /// over.
  void addLastForward(cv::dnn::Net& net, double forwardMs, std::vector<NetworkStep>& steps);

 private:
  void learn(cv::dnn::Net& net);

  std::string last_;
  std::vector<NetworkStep> steps_;            // without times; the last one is the rest
  std::vector<cv::Ptr<dnn::NetLayer>> ours_;  // as OpenCV counts layers; null: not ours
  std::vector<std::size_t> stepOf_;           // of each layer, those of a chain one by one
};

/// Observes what a net's merges do in one forward of one picture. The merges note it themselves, so
/// the net computes nothing more and its memory layout stays. The schedule may change from one
/// forward to the next. Refers to the net's layers.
class MergeWatch {
 public:
  explicit MergeWatch(cv::dnn::Net& net);

  void start();

  /// Returns the merges that ran in the forward since start(), in the net's order, without those of
  /// another size than `grid`.
  std::vector<MergeStage> stop(const cv::Size& grid);

 private:
  std::vector<dnn::MutualPairMergeLayer*> merges_;
};

}  // namespace mpm::segment
