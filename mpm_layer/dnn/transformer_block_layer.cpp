// SPDX-License-Identifier: Apache-2.0
// mpm.TransformerBlock
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/gelu.h"
#include "dnn/net_layer.h"
#include "vit/block_memory.h"
#include "vit/late_restore.h"
#include "vit/smooth_block.h"
#include "vit/transformer_block.h"

namespace mpm::dnn {
namespace {

using cv::dnn::LayerParams;
using std::to_string;

constexpr const char* kInputs =
    "tokens,rows,map,norm1_scale,norm1_shift,qkv_weight,qkv_bias,proj_weight,proj_bias,"
    "layer_scale1,norm2_scale,norm2_shift,fc1_weight,fc1_bias,fc2_weight,fc2_bias,layer_scale2,"
    "window_of,norm1_ranges,norm2_ranges";

vit::LinearWeights linear(const LayerInputs& inputs, const std::string& name, int out, int in) {
  vit::LinearWeights weights;
  weights.weight = inputs.matrix(name + "_weight", out, in);
  weights.bias = inputs.vector(name + "_bias", static_cast<int>(weights.weight.count));
  return weights;
}

// Reads ranges [3 x D] as FeatureRanges gives them; empty if there is no such input.
vit::NormRanges rangesIn(const LayerInputs& inputs, const std::string& name, int dim) {
  if (inputs.find(name) == nullptr) return {};
  const ConstRows ranges = inputs.matrix(name, 3, dim);
  if (ranges.data == nullptr) return {};  // packed, and let go
  return {ranges.row(0), ranges.row(1), ranges.row(2)};
}

void checkFinite(const vit::NormRanges& ranges, const LayerIdentity& layer, const std::string& name,
                 std::size_t dim) {
  const auto isFinite = [](float value) { return std::isfinite(value); };
  if (ranges.mean != nullptr && !std::all_of(ranges.mean, ranges.mean + 3 * dim, isFinite))
    refuseInput(layer, name, "has values that are not finite; expected means and distances");
}

class TransformerBlock final : public TokenLayer {
 public:
  explicit TransformerBlock(const LayerParams& params);

  void measureRanges() override { ranges_.emplace(); }
  const vit::BlockRanges* ranges() const override { return ranges_ ? &*ranges_ : nullptr; }

 private:
  Shape outputShape(const TokenShape& shape, const InputShapes&) const override {
    return Shape{shape.batch, shape.capacity(), shape.dim};
  }
  void readWeights(const LayerInputs& inputs) override;
  void packWeights() override;
  void forwardImage(const Image& image) override {
    const Rows out(image.out, image.tokens.count, image.tokens.dim);
    if (ranges_) addRanges(image);
    if (windows_ == 0 && memory() != nullptr) return forwardRemembered(image, out);
    forwardAll(image, packed_, out);
  }

  void forwardRemembered(const Image& image, Rows out);
  void forwardAll(const Image& image, const vit::PackedBlock& block, Rows out);
  void addRanges(const Image& image);
  void readWindows(const Image& image);
  const float* keyWeights(const Image& image);

  float scale_;  // 0: 1 / sqrt(head's features)
  vit::BlockWeights weights_;
  vit::PackedBlock packed_;
  int windows_;                          // 0: rows attend to all others
  const float* givenWindows_ = nullptr;  // as `window_of` has them
  std::vector<std::int32_t> windowOf_;   // each row in front of all merges
  std::optional<vit::BlockRanges> ranges_;
  vit::PackedBlock upToNorm2_;  // of a block that is measured

  // Scratch memory of a forward.
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
  weights_.ranges1 = rangesIn(inputs, "norm1_ranges", dim);
  weights_.ranges2 = rangesIn(inputs, "norm2_ranges", dim);
  givenWindows_ = inputs.vector("window_of", shape().full());
  if ((windows_ > 0) != (inputs.find("window_of") != nullptr))
    refuseLayer(identity_, "has one of windows and window_of; expected both, or neither");
  const auto headFeatures = static_cast<float>(inner / weights_.heads);
  weights_.scale = scale_ != 0 ? scale_ : 1 / std::sqrt(headFeatures);
}

void TransformerBlock::packWeights() {
  const std::size_t dim = weights_.qkv.weight.dim;
  checkFinite(weights_.ranges1, identity_, "norm1_ranges", dim);
  checkFinite(weights_.ranges2, identity_, "norm2_ranges", dim);
  packed_ = {weights_, precision()};
  if (ranges_) upToNorm2_ = vit::packedUpToNorm2(weights_);
  if (windows_ == 0) return;
  readIntegers(identity_, "window_of", givenWindows_, shape().full(),
               {0, windows_ - 1, "the layer's windows"}, windowOf_);
}

// Each live row is in the window of the tokens that it stands for.
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

void TransformerBlock::forwardAll(const Image& image, const vit::PackedBlock& block, Rows out) {
  if (windows_ == 0)
    return vit::transformerBlockCpu(image.tokens, block, keyWeights(image), scratch_, out);
  readWindows(image);
  live_.set(windowOfLive_, static_cast<std::size_t>(windows_));
  vit::transformerBlockCpu(image.tokens, block, live_, scratch_, out);
}

void TransformerBlock::addRanges(const Image& image) {
  const std::size_t count = image.tokens.count, dim = image.tokens.dim;
  std::vector<float> between(count * dim), normalized(count * dim);
  const Rows rows(between.data(), count, dim), norms(normalized.data(), count, dim);
  vit::normalizeRows(image.tokens, packed_.norm1.view(), norms);
  ranges_->norm1.add(norms);
  forwardAll(image, upToNorm2_, rows);
  vit::normalizeRows(rows, packed_.norm2.view(), norms);
  ranges_->norm2.add(norms);
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
