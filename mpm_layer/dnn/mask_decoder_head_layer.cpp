// SPDX-License-Identifier: Apache-2.0
#include "dnn/mask_decoder_head_layer.h"

#include <cstddef>

namespace mpm::dnn {

MaskDecoderHeadLayer::MaskDecoderHeadLayer(const cv::dnn::LayerParams& params)
    : TokenLayer(kType, params, "tokens,rows,proj_patch,proj_classes,norm_scale,norm_shift") {
  weights_.norm.eps = params.get<float>("eps", weights_.norm.eps);
  if (params.get<int>("special", 0) < 1) {
    refuseLayer(identity_, "needs special = the number of class rows in front, 1 or more");
  }
}

cv::dnn::MatShape MaskDecoderHeadLayer::outputShape(const TokenShape& shape, const ShapeOf&) const {
  return cv::dnn::MatShape{shape.batch, shape.image, shape.special};
}

void MaskDecoderHeadLayer::readWeights(const LayerInputs& inputs, const TokenShape& shape) {
  classes_ = static_cast<std::size_t>(shape.special);
  weights_.projPatch = inputs.matrix("proj_patch", shape.dim, shape.dim);
  weights_.projClasses = inputs.matrix("proj_classes", shape.dim, shape.dim);
  weights_.norm.scale = inputs.vector("norm_scale", shape.special);
  weights_.norm.shift = inputs.vector("norm_shift", shape.special);
}

void MaskDecoderHeadLayer::packWeights() { packed_ = {weights_, classes_, precision()}; }

void MaskDecoderHeadLayer::forwardImage(const TokenShape& shape, const Image& image) {
  const auto classes = static_cast<std::size_t>(shape.special);
  const std::size_t patches = image.tokens.count - classes, dim = image.tokens.dim;
  if (patches == 0) return;
  vit::maskHeadCpu({image.tokens.row(classes), patches, dim}, {image.tokens.data, classes, dim},
                   packed_, scratch_, {image.out, patches, classes});
}

}  // namespace mpm::dnn
