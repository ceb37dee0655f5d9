// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <opencv2/dnn.hpp>
#include <vector>

#include "dnn/layer_inputs.h"
#include "dnn/token_blobs.h"
#include "mpm/export.h"
#include "mpm/merge.h"

namespace mpm::dnn {

/// mpm.MutualPairMerge; its contract stands in mpm/layers.h.
class MPM_API MutualPairMergeLayer final : public cv::dnn::Layer {
 public:
  static constexpr const char* kType = "mpm.MutualPairMerge";

  explicit MutualPairMergeLayer(const cv::dnn::LayerParams& params);

  int special() const { return special_; }
  void setEnabled(bool on) { enabled_ = on; }
  bool enabled() const { return enabled_; }
  /// Which block of its network it stands before, counted from 0; -1 where the model doesn't say.
  int beforeBlock() const { return beforeBlock_; }
  /// Of the last forward: live rows behind it, special ones included, image by image.
  const std::vector<int>& liveRows() const { return liveRows_; }

  bool getMemoryShapes(const std::vector<cv::dnn::MatShape>& inputs, const int requiredOutputs,
                       std::vector<cv::dnn::MatShape>& outputs,
                       std::vector<cv::dnn::MatShape>& internals) const override;
  void forward(cv::InputArrayOfArrays inputs, cv::OutputArrayOfArrays outputs,
               cv::OutputArrayOfArrays internals) override;

 private:
  struct Inputs;

  TokenShape checkShapes(const std::vector<cv::dnn::MatShape>& shapes) const;
  Inputs checkInputs(const LayerInputs& inputs) const;
  void forwardImage(const Inputs& inputs, int image, std::vector<cv::Mat>& outputs);
  void readMap(const Inputs& inputs, int image, int liveImageRows);
  void readRegions(const Inputs& inputs, int image);

  LayerIdentity identity_;
  NamedInputs names_;
  int special_ = -1;
  MergeOptions options_;
  std::atomic<bool> enabled_{true};
  int beforeBlock_ = -1;

  std::vector<int> seen_;  // sizes of the inputs that `shape_` was found right for
  TokenShape shape_;

  // Scratch memory: nothing in it outlives a forward.
  PairMerger merger_;
  std::vector<std::int32_t> map_, regions_;

  std::vector<int> liveRows_;  // for reports: no forward reads it
};

}  // namespace mpm::dnn
