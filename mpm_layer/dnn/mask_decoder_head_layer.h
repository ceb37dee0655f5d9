// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dnn/token_layer.h"
#include "vit/mask_head.h"

namespace mpm::dnn {

/// mpm.MaskDecoderHead; its contract stands in mpm/layers.h.
class MaskDecoderHeadLayer final : public TokenLayer {
 public:
  static constexpr const char* kType = "mpm.MaskDecoderHead";

  explicit MaskDecoderHeadLayer(const cv::dnn::LayerParams& params);

 private:
  cv::dnn::MatShape outputShape(const TokenShape& shape, const ShapeOf& shapeOf) const override;
  void readWeights(const LayerInputs& inputs, const TokenShape& shape) override;
  void packWeights() override;
  void forwardImage(const TokenShape& shape, const Image& image) override;

  vit::MaskHeadWeights weights_;
  std::size_t classes_ = 0;
  vit::PackedMaskHead packed_;

  // Scratch memory: nothing in it outlives a forward.
  vit::MaskHeadScratch scratch_;
};

}  // namespace mpm::dnn
