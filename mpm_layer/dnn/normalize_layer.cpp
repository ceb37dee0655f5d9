// SPDX-License-Identifier: Apache-2.0
#include "dnn/normalize_layer.h"

namespace mpm::dnn {

NormalizeLayer::NormalizeLayer(const cv::dnn::LayerParams& params)
    : TokenLayer(kType, params, "tokens,rows,scale,shift", Takes::tokensOrSingleRows) {
  weights_.eps = params.get<float>("eps", weights_.eps);
}

cv::dnn::MatShape NormalizeLayer::outputShape(const TokenShape& shape, const ShapeOf&) const {
  return cv::dnn::MatShape{shape.batch, shape.capacity(), shape.dim};
}

void NormalizeLayer::readWeights(const LayerInputs& inputs, const TokenShape& shape) {
  dim_ = static_cast<std::size_t>(shape.dim);
  weights_.scale = inputs.vector("scale", shape.dim);
  weights_.shift = inputs.vector("shift", shape.dim);
}

void NormalizeLayer::forwardImage(const TokenShape&, const Image& image) {
  vit::normalizeCpu(image.tokens, packed_.view(),
                    {image.out, image.tokens.count, image.tokens.dim});
}

}  // namespace mpm::dnn
