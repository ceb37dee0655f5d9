// SPDX-License-Identifier: Apache-2.0
// mpm.TransformerBlock
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dnn/net_layer.h"
#include "mpm/gelu.h"
#include "vit/block_memory.h"
#include "vit/late_restore.h"
#include "vit/transformer_block.h"

namespace mpm::dnn {
namespace {

using cv::dnn::LayerParams;
using std::to_string;

constexpr const char* kInputs =
    "tokens,rows,map,norm1_scale,norm1_shift,qkv_weight,qkv_bias,proj_weight,proj_bias,"
    "layer_scale1,norm2_scale,norm2_shift,fc1_weight,fc1_bias,fc2_weight,fc2_bias,layer_scale2,"
    "window_of";

vit::LinearWeights linear(const LayerInputs& inputs, const std::string& name, int out, int in) {
  vit::LinearWeights weights;
  weights.weight = inputs.matrix(name + "_weight", out, in);
  weights.bias = inputs.vector(name + "_bias", static_cast<int>(weights.weight.count));
  return weights;
}

class TransformerBlock final : public TokenLayer {
 public:
  explicit TransformerBlock(const LayerParams& params);

 private:
  Shape outputShape(const TokenShape& shape, const InputShapes&) const override {
    return Shape{shape.batch, shape.capacity(), shape.dim};
  }
  void readWeights(const LayerInputs& inputs) override;
  void packWeights() override;
  void forwardImage(const Image& image) override {
    const Rows out(image.out, image.tokens.count, image.tokens.dim);
    if (windows_ > 0) return forwardWindows(image, out);
    if (memory() != nullptr) return forwardRemembered(image, out);
    vit::transformerBlockCpu(image.tokens, packed_, keyWeights(image), scratch_, out);
  }

  void forwardRemembered(const Image& image, Rows out);
  void forwardWindows(const Image& image, Rows out);
  void readWindows(const Image& image);
  const float* keyWeights(const Image& image);

  float scale_;  // 0: 1 / sqrt(head's features)
  vit::BlockWeights weights_;
  vit::PackedBlock packed_;
  int windows_;                          // 0: rows attend to all others
  const float* givenWindows_ = nullptr;  // as `window_of` has them
  std::vector<std::int32_t> windowOf_;   // each row in front of all merges

  // Nothing in these outlives a forward.
  vit::BlockScratch scratch_;
  std::vector<std::int32_t> map_;
  std::vector<float> keyWeights_;
  std::vector<std::int32_t> windowOfLive_;
  vit::RowWindows live_;
};

TransformerBlock::TransformerBlock(const LayerParams& params)
    : TokenLayer(LayerKind::transformerBlock, params, kInputs),
      scale_(params.get<float>("scale", 0)),
      windows_(params.get<int>("windows", 0)) {
  if (windows_ < 0)
    refuseLayer(identity_, "windows = " + to_string(windows_) + "; expected 0 or more");
  const int heads = params.get<int>("heads", 1);
  if (heads < 1) refuseLayer(identity_, "heads = " + to_string(heads) + "; expected 1 or more");
  weights_.heads = static_cast<std::size_t>(heads);
  weights_.norm1.eps = params.get<float>("eps", weights_.norm1.eps);
  weights_.norm2.eps = params.get<float>("eps2", weights_.norm1.eps);
  const std::string gelu = params.get<cv::String>("gelu", "erf");
  const std::optional<Gelu> kind = geluNamed(gelu);
  if (!kind) refuseLayer(identity_, "gelu = " + gelu + "; expected erf, tanh or quick");
  weights_.gelu = *kind;
}

void TransformerBlock::readWeights(const LayerInputs& inputs) {
  const int dim = shape().dim;
  weights_.norm1.scale = inputs.vector("norm1_scale", dim);
  weights_.norm1.shift = inputs.vector("norm1_shift", dim);
  weights_.proj = linear(inputs, "proj", dim, -1);
  const auto inner = weights_.proj.weight.dim;
  if (inner % weights_.heads != 0) {
    refuseInput(identity_, "proj_weight",
                "has " + to_string(inner) +
                    " columns; expected a multiple of heads = " + to_string(weights_.heads));
  }
  weights_.qkv = linear(inputs, "qkv", static_cast<int>(3 * inner), dim);
  weights_.layerScale1 = inputs.vector("layer_scale1", dim);
  weights_.norm2.scale = inputs.vector("norm2_scale", dim);
  weights_.norm2.shift = inputs.vector("norm2_shift", dim);
  weights_.fc1 = linear(inputs, "fc1", -1, dim);
  weights_.fc2 = linear(inputs, "fc2", dim, static_cast<int>(weights_.fc1.weight.count));
  weights_.layerScale2 = inputs.vector("layer_scale2", dim);
  givenWindows_ = inputs.vector("window_of", shape().full());
  if ((windows_ > 0) != (inputs.find("window_of") != nullptr))
    refuseLayer(identity_, "has one of windows and window_of; expected both, or neither");
  const auto headFeatures = static_cast<float>(inner / weights_.heads);
  weights_.scale = scale_ != 0 ? scale_ : 1 / std::sqrt(headFeatures);
}

void TransformerBlock::packWeights() {
  packed_ = {weights_, precision()};
  if (windows_ == 0) return;
  readIntegers(identity_, "window_of", givenWindows_, shape().full(),
               {0, windows_ - 1, "the layer's windows"}, windowOf_);
}

// The window of each live row is that of the tokens that it stands for.
void TransformerBlock::readWindows(const Image& image) {
  const auto special = static_cast<std::size_t>(shape().special);
  const std::size_t live = image.tokens.count;
  if (image.map == nullptr) {
    if (live != windowOf_.size()) {
      refuseLayer(identity_,
                  "has windows and rows but no map, so it cannot know in which window merged rows "
                  "are; expected a map with rows");
    }
    windowOfLive_ = windowOf_;
    return;
  }
  readIntegers(identity_, "map", image.map, shape().image,
               {0, static_cast<int>(live - special) - 1, "the live image rows"}, map_);
  constexpr std::int32_t kNone = -1;
  windowOfLive_.assign(live, kNone);
  std::copy_n(windowOf_.begin(), special, windowOfLive_.begin());
  for (std::size_t i = 0; i < map_.size(); ++i) {
    std::int32_t& window = windowOfLive_[special + static_cast<std::size_t>(map_[i])];
    const std::int32_t own = windowOf_[special + i];
    if (window != kNone && window != own) {
      refuseInput(identity_, "map",
                  "merges token " + to_string(i) + " of window " + to_string(own) +
                      " with one of window " + to_string(window) +
                      "; expected merges within windows, by their input regions");
    }
    window = own;
  }
  if (std::find(windowOfLive_.begin(), windowOfLive_.end(), kNone) != windowOfLive_.end())
    refuseInput(identity_, "map", "leaves out a live image row; expected a token for each");
}

void TransformerBlock::forwardWindows(const Image& image, Rows out) {
  readWindows(image);
  live_.set(windowOfLive_, static_cast<std::size_t>(windows_));
  vit::transformerBlockCpu(image.tokens, packed_, live_, scratch_, out);
}

void TransformerBlock::forwardRemembered(const Image& image, Rows out) {
  vit::BlockMemory& kept = memory()->block(identity_.name);
  if (freshRows() != nullptr) {
    kept.expectFresh(*freshRows());
  } else {
    const std::vector<std::int32_t>& map = memory()->map();
    const std::size_t live = image.tokens.count, special = live - memory()->liveImage();
    kept.expectAll({live, special, memory()->image(), map.empty() ? nullptr : map.data(),
                    keyWeights(image) != nullptr});
  }
  vit::transformerBlockCpu(image.tokens, packed_, kept, out);
}

const float* TransformerBlock::keyWeights(const Image& image) {
  if (image.map == nullptr) return nullptr;
  const int live = static_cast<int>(image.tokens.count) - shape().special;
  readIntegers(identity_, "map", image.map, shape().image, {0, live - 1, "the live image rows"},
               map_);
  keyWeights_.assign(image.tokens.count, 0);  // a special row stands for itself alone
  vit::keyWeights(map_.data(), map_.size(), keyWeights_.data() + shape().special,
                  static_cast<std::size_t>(live));
  return keyWeights_.data();
}

}  // namespace

LayerPtr makeTransformerBlock(const LayerParams& params) {
  return cv::makePtr<TransformerBlock>(params);
}

}  // namespace mpm::dnn
