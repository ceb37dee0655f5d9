// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "dnn/token_layer.h"
#include "vit/normalize.h"

namespace mpm::dnn {

/// mpm.Normalize; its contract stands in mpm/layers.h.
class NormalizeLayer final : public TokenLayer {
 public:
  static constexpr const char* kType = "mpm.Normalize";

  explicit NormalizeLayer(const cv::dnn::LayerParams& params);

 private:
  cv::dnn::MatShape outputShape(const TokenShape& shape, const ShapeOf& shapeOf) const override;
  void readWeights(const LayerInputs& inputs, const TokenShape& shape) override;
  void packWeights() override { packed_ = {weights_, dim_}; }
  void forwardImage(const TokenShape& shape, const Image& image) override;

  vit::NormWeights weights_;
  vit::OwnedNorm packed_;
  std::size_t dim_ = 0;
};

}  // namespace mpm::dnn
