// SPDX-License-Identifier: Apache-2.0
#include "dnn/linear_layer.h"

namespace mpm::dnn {

LinearLayer::LinearLayer(const cv::dnn::LayerParams& params)
    : TokenLayer(kType, params, "tokens,rows,weight,bias", Takes::tokensOrSingleRows) {}

cv::dnn::MatShape LinearLayer::outputShape(const TokenShape& shape, const ShapeOf& shapeOf) const {
  return cv::dnn::MatShape{shape.batch, shape.capacity(), need(shapeOf, "weight")[0]};
}

void LinearLayer::readWeights(const LayerInputs& inputs, const TokenShape& shape) {
  weights_.weight = inputs.matrix("weight", -1, shape.dim);
  weights_.bias = inputs.vector("bias", static_cast<int>(weights_.weight.count));
}

void LinearLayer::forwardImage(const TokenShape&, const Image& image) {
  vit::linearCpu(image.tokens, packed_, {image.out, image.tokens.count, weights_.weight.count});
}

}  // namespace mpm::dnn
