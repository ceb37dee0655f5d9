// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "mpm/net.h"
#include "mpm/schedule.h"
#include "onnx/graph/model.h"
#include "segment/prepare.h"
#include "teach/head.h"

namespace mpm::teach {

/// A model without its head: patch tokens after its encoder, and from earlier depths.
class Backbone {
 public:
  /// Reads at most `depths` depths, or as many as the encoder has. Throws std::runtime_error
  /// beginning with the path if it finds no patch tokens.
  Backbone(const std::string& path, const ReadOptions& options, int depths);

  const cv::Size& grid() const { return grid_; }
  const cv::Size& input() const { return input_; }
  int depths() const { return static_cast<int>(taps_.size()); }
  const Schedule& merges() const { return merges_; }  ///< what readNet merges by; empty: by none

  /// Computes a frame's features, stretched to the input as Segmenter does: [places of the grid x
  /// depths * D], the last block's first.
  cv::Mat features(const cv::Mat& frame);
  /// Does the same with tokens merged as readNet merges them by default. Places that share a token
  /// have one row's values. Returns an empty matrix if the model merges none.
  cv::Mat mergedFeatures(const cv::Mat& frame);

  /// Writes the model with a linear head on its patch tokens, upsampled to its input's size. The
  /// head takes all depths or the first ones, with places (withPlaces). `metadata` adds to the
  /// file's own; an entry without text removes the file's.
  void write(const std::string& path, const Head& head,
             const std::map<std::string, std::string>& metadata) const;

 private:
  void tryPlaces();
  cv::Mat tokensOf(const cv::Mat& frame, const Schedule& schedule);

  std::string path_;
  cv::Size grid_, input_;
  int patch_ = 0;
  bool asItIs_ = true;             // nothing in front of the patches could move a pixel
  std::vector<std::string> taps_;  // patch tokens [B, N, D] of each depth, the last block's first
  onnx::Model model_;              // its only output are all of them [B, N, depths * D]
  std::string tokens_;
  std::map<std::string, std::string> facts_;  // metadata: mean, std, order of colours
  segment::Colours colours_;
  segment::Preparer preparer_;
  Schedule merges_;
  cv::dnn::Net net_;
};

}  // namespace mpm::teach
