// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dnn/token_layer.h"
#include "vit/packed_linear.h"

namespace mpm::dnn {

/// mpm.Linear; its contract stands in mpm/layers.h.
class LinearLayer final : public TokenLayer {
 public:
  static constexpr const char* kType = "mpm.Linear";

  explicit LinearLayer(const cv::dnn::LayerParams& params);

 private:
  cv::dnn::MatShape outputShape(const TokenShape& shape, const ShapeOf& shapeOf) const override;
  void readWeights(const LayerInputs& inputs, const TokenShape& shape) override;
  void packWeights() override { packed_ = {weights_, precision()}; }
  void forwardImage(const TokenShape& shape, const Image& image) override;

  vit::LinearWeights weights_;
  vit::PackedLinear packed_;
};

}  // namespace mpm::dnn
