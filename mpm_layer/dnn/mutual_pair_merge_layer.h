// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <opencv2/dnn.hpp>
#include <vector>

#include "dnn/layer_inputs.h"
#include "dnn/token_blobs.h"
#include "mpm/merge.h"

namespace mpm::dnn {

/// mpm.MutualPairMerge; its contract stands in mpm/layers.h.
class MutualPairMergeLayer final : public cv::dnn::Layer {
 public:
  static constexpr const char* kType = "mpm.MutualPairMerge";

  explicit MutualPairMergeLayer(const cv::dnn::LayerParams& params);

  void setEnabled(bool on) { enabled_ = on; }

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

  // Scratch memory: nothing in it outlives a forward.
  PairMerger merger_;
  std::vector<std::int32_t> map_, regions_;
};

}  // namespace mpm::dnn
