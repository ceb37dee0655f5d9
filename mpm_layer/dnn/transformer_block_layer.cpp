// SPDX-License-Identifier: Apache-2.0
#include "dnn/transformer_block_layer.h"

#include <cmath>

#include "vit/key_weights.h"

namespace mpm::dnn {

using std::to_string;

namespace {

constexpr const char* kInputs =
    "tokens,rows,map,norm1_scale,norm1_shift,qkv_weight,qkv_bias,proj_weight,proj_bias,"
    "layer_scale1,norm2_scale,norm2_shift,fc1_weight,fc1_bias,fc2_weight,fc2_bias,layer_scale2";

vit::LinearWeights linear(const LayerInputs& inputs, const std::string& name, int out, int in) {
  vit::LinearWeights weights;
  weights.weight = inputs.matrix(name + "_weight", out, in);
  weights.bias = inputs.vector(name + "_bias", static_cast<int>(weights.weight.count));
  return weights;
}

}  // namespace

TransformerBlockLayer::TransformerBlockLayer(const cv::dnn::LayerParams& params)
    : TokenLayer(kType, params, kInputs), scale_(params.get<float>("scale", 0)) {
  const int heads = params.get<int>("heads", 1);
  if (heads < 1) refuseLayer(identity_, "heads = " + to_string(heads) + "; expected 1 or more");
  weights_.heads = static_cast<std::size_t>(heads);
  weights_.norm1.eps = params.get<float>("eps", weights_.norm1.eps);
  weights_.norm2.eps = params.get<float>("eps2", weights_.norm1.eps);
  const std::string gelu = params.get<cv::String>("gelu", "erf");
  if (gelu == "erf") {
    weights_.gelu = vit::Gelu::erf;
  } else if (gelu == "tanh") {
    weights_.gelu = vit::Gelu::tanh;
  } else if (gelu == "quick") {
    weights_.gelu = vit::Gelu::quick;
  } else {
    refuseLayer(identity_, "gelu = " + gelu + "; expected erf, tanh or quick");
  }
}

cv::dnn::MatShape TransformerBlockLayer::outputShape(const TokenShape& shape,
                                                     const ShapeOf&) const {
  return cv::dnn::MatShape{shape.batch, shape.capacity(), shape.dim};
}

void TransformerBlockLayer::readWeights(const LayerInputs& inputs, const TokenShape& shape) {
  weights_.norm1.scale = inputs.vector("norm1_scale", shape.dim);
  weights_.norm1.shift = inputs.vector("norm1_shift", shape.dim);
  weights_.proj = linear(inputs, "proj", shape.dim, -1);
  const auto inner = weights_.proj.weight.dim;
  if (inner % weights_.heads != 0) {
    refuseInput(identity_, "proj_weight",
                "has " + to_string(inner) +
                    " columns; expected a multiple of heads = " + to_string(weights_.heads));
  }
  weights_.qkv = linear(inputs, "qkv", static_cast<int>(3 * inner), shape.dim);
  weights_.layerScale1 = inputs.vector("layer_scale1", shape.dim);
  weights_.norm2.scale = inputs.vector("norm2_scale", shape.dim);
  weights_.norm2.shift = inputs.vector("norm2_shift", shape.dim);
  weights_.fc1 = linear(inputs, "fc1", -1, shape.dim);
  weights_.fc2 = linear(inputs, "fc2", shape.dim, static_cast<int>(weights_.fc1.weight.count));
  weights_.layerScale2 = inputs.vector("layer_scale2", shape.dim);
  const auto headFeatures = static_cast<float>(inner / weights_.heads);
  weights_.scale = scale_ != 0 ? scale_ : 1 / std::sqrt(headFeatures);
}

const float* TransformerBlockLayer::keyWeights(const TokenShape& shape, const Image& image) {
  if (image.map == nullptr) return nullptr;
  const int live = static_cast<int>(image.tokens.count) - shape.special;
  readIntegers(identity_, "map", image.map, shape.image, {0, live - 1, "the live image rows"},
               map_);
  keyWeights_.assign(image.tokens.count, 0);  // a special row stands for itself alone
  vit::keyWeights(map_.data(), map_.size(), keyWeights_.data() + shape.special,
                  static_cast<std::size_t>(live));
  return keyWeights_.data();
}

void TransformerBlockLayer::forwardImage(const TokenShape& shape, const Image& image) {
  const Rows out(image.out, image.tokens.count, image.tokens.dim);
  vit::transformerBlockCpu(image.tokens, packed_, keyWeights(shape, image), scratch_, out);
}

}  // namespace mpm::dnn
