// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/dnn.hpp>
#include <vector>

#include "dnn/device_layer.h"
#include "dnn/layer_inputs.h"
#include "dnn/token_blobs.h"
#include "vit/upsample.h"

namespace mpm::dnn {

/// mpm.Upsample; its contract stands in mpm/layers.h.
class UpsampleLayer final : public cv::dnn::Layer, public DeviceLayer {
 public:
  static constexpr const char* kType = "mpm.Upsample";

  explicit UpsampleLayer(const cv::dnn::LayerParams& params);

  bool getMemoryShapes(const std::vector<cv::dnn::MatShape>& inputs, const int requiredOutputs,
                       std::vector<cv::dnn::MatShape>& outputs,
                       std::vector<cv::dnn::MatShape>& internals) const override;
  void forward(cv::InputArrayOfArrays inputs, cv::OutputArrayOfArrays outputs,
               cv::OutputArrayOfArrays internals) override;

 private:
  /// As [B, C, h, w], whichever way the input is laid out.
  cv::dnn::MatShape checkedPlanes(const cv::dnn::MatShape& input) const;
  /// Height (0) or width (1) of the result.
  int sizeOf(int axis, int source) const;
  void assignTaps(const cv::dnn::MatShape& planes);

  LayerIdentity identity_;
  NamedInputs names_;
  vit::Places places_ = vit::Places::halfPixel;
  std::vector<int> size_, grid_;  ///< two each, or none
  std::vector<float> scale_;      ///< two where there is no size

  // Of the last forward.
  std::vector<int> seen_;
  cv::dnn::MatShape planes_;  ///< as [B, C, h, w]
  vit::Taps rows_, columns_;
};

}  // namespace mpm::dnn
