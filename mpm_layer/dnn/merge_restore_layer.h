// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/dnn.hpp>
#include <vector>

#include "dnn/device_layer.h"
#include "dnn/layer_inputs.h"
#include "dnn/token_blobs.h"

namespace mpm::dnn {

/// mpm.MergeRestore; its contract stands in mpm/layers.h.
class MergeRestoreLayer final : public cv::dnn::Layer, public DeviceLayer {
 public:
  static constexpr const char* kType = "mpm.MergeRestore";

  explicit MergeRestoreLayer(const cv::dnn::LayerParams& params);

  bool getMemoryShapes(const std::vector<cv::dnn::MatShape>& inputs, const int requiredOutputs,
                       std::vector<cv::dnn::MatShape>& outputs,
                       std::vector<cv::dnn::MatShape>& internals) const override;
  void forward(cv::InputArrayOfArrays inputs, cv::OutputArrayOfArrays outputs,
               cv::OutputArrayOfArrays internals) override;

 private:
  LayerIdentity identity_;
  NamedInputs names_;
  int special_ = -1;

  std::vector<int> seen_;  // sizes of the inputs that `shape_` was found right for
  TokenShape shape_;
  std::vector<std::int32_t> map_;
};

}  // namespace mpm::dnn
