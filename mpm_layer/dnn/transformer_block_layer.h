// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "dnn/token_layer.h"
#include "vit/transformer_block.h"

namespace mpm::dnn {

/// mpm.TransformerBlock; its contract stands in mpm/layers.h.
class TransformerBlockLayer final : public TokenLayer {
 public:
  static constexpr const char* kType = "mpm.TransformerBlock";

  explicit TransformerBlockLayer(const cv::dnn::LayerParams& params);

  int heads() const { return static_cast<int>(weights_.heads); }
  vit::Gelu gelu() const { return weights_.gelu; }

 private:
  cv::dnn::MatShape outputShape(const TokenShape& shape, const ShapeOf& shapeOf) const override;
  void readWeights(const LayerInputs& inputs, const TokenShape& shape) override;
  void packWeights() override { packed_ = {weights_, precision()}; }
  void forwardImage(const TokenShape& shape, const Image& image) override;

  const float* keyWeights(const TokenShape& shape, const Image& image);

  vit::BlockWeights weights_;
  vit::PackedBlock packed_;
  float scale_ = 0;  ///< 0: 1 / sqrt(head's features)

  // Scratch memory: nothing in it outlives a forward.
  vit::BlockScratch scratch_;
  std::vector<std::int32_t> map_;
  std::vector<float> keyWeights_;
};

}  // namespace mpm::dnn
