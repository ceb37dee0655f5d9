// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "dnn/token_layer.h"

namespace mpm::dnn {

/// mpm.MeanRows; its contract stands in mpm/layers.h.
class MeanRowsLayer final : public TokenLayer {
 public:
  static constexpr const char* kType = "mpm.MeanRows";

  explicit MeanRowsLayer(const cv::dnn::LayerParams& params);

 private:
  cv::dnn::MatShape outputShape(const TokenShape& shape, const ShapeOf& shapeOf) const override;
  void readWeights(const LayerInputs& inputs, const TokenShape& shape) override;
  void packWeights() override {}
  void forwardImage(const TokenShape& shape, const Image& image) override;

  bool withSpecial_ = false;

  // Scratch memory: nothing in it outlives a forward.
  std::vector<std::int32_t> map_, counts_;
};

}  // namespace mpm::dnn
