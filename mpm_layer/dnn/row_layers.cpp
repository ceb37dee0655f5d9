// SPDX-License-Identifier: Apache-2.0
// mpm.Linear and mpm.Normalize, row by row; mpm.MaskDecoderHead and mpm.MeanRows, which stand at
// the end of a net.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dnn/net_layer.h"
#include "mpm/gelu.h"
#include "mpm/merge.h"
#include "vit/late_restore.h"
#include "vit/linear.h"
#include "vit/mask_head.h"
#include "vit/normalize.h"

namespace mpm::dnn {
namespace {

using cv::dnn::LayerParams;

class Linear final : public TokenLayer {
 public:
  explicit Linear(const LayerParams& params)
      : TokenLayer(LayerKind::linear, params, "tokens,rows,weight,bias",
                   Takes::tokensOrSingleRows) {
    const std::string gelu = params.get<cv::String>("gelu", "");
    gelu_ = geluNamed(gelu);
    if (!gelu.empty() && !gelu_)
      refuseLayer(identity_, "gelu = " + gelu + "; expected erf, tanh or quick");
  }

 private:
  Shape outputShape(const TokenShape& shape, const InputShapes& shapes) const override {
    return Shape{shape.batch, shape.capacity(), shapes.get("weight")[0]};
  }
  void readWeights(const LayerInputs& inputs) override {
    weights_.weight = inputs.matrix("weight", -1, shape().dim);
    weights_.bias = inputs.vector("bias", static_cast<int>(weights_.weight.count));
  }
  void packWeights() override { packed_ = {weights_, precision()}; }
  void forwardImage(const Image& image) override {
    vit::linearCpu(image.tokens, packed_, {image.out, image.tokens.count, weights_.weight.count},
                   gelu_ ? &*gelu_ : nullptr);
  }

  std::optional<Gelu> gelu_;
  vit::LinearWeights weights_;
  vit::PackedLinear packed_;
};

class Normalize final : public TokenLayer {
 public:
  explicit Normalize(const LayerParams& params)
      : TokenLayer(LayerKind::normalize, params, "tokens,rows,scale,shift",
                   Takes::tokensOrSingleRows) {
    weights_.eps = params.get<float>("eps", weights_.eps);
    weights_.isCentred = params.get<int>("centred", 1) != 0;
  }

 private:
  Shape outputShape(const TokenShape& shape, const InputShapes&) const override {
    return Shape{shape.batch, shape.capacity(), shape.dim};
  }
  void readWeights(const LayerInputs& inputs) override {
    weights_.scale = inputs.vector("scale", shape().dim);
    weights_.shift = inputs.vector("shift", shape().dim);
  }
  void packWeights() override { packed_ = {weights_, static_cast<std::size_t>(shape().dim)}; }
  void forwardImage(const Image& image) override {
    vit::normalizeCpu(image.tokens, packed_.view(),
                      {image.out, image.tokens.count, image.tokens.dim});
  }

  vit::NormWeights weights_;
  vit::OwnedNorm packed_;
};

class MaskDecoderHead final : public TokenLayer {
 public:
  explicit MaskDecoderHead(const LayerParams& params)
      : TokenLayer(LayerKind::maskDecoderHead, params,
                   "tokens,rows,proj_patch,proj_classes,norm_scale,norm_shift") {
    weights_.norm.eps = params.get<float>("eps", weights_.norm.eps);
    if (special() < 1)
      refuseLayer(identity_, "needs special = the number of class rows in front, 1 or more");
  }

 private:
  Shape outputShape(const TokenShape& shape, const InputShapes&) const override {
    return Shape{shape.batch, shape.image, shape.special};
  }
  void readWeights(const LayerInputs& inputs) override {
    weights_.projPatch = inputs.matrix("proj_patch", shape().dim, shape().dim);
    weights_.projClasses = inputs.matrix("proj_classes", shape().dim, shape().dim);
    weights_.norm.scale = inputs.vector("norm_scale", special());
    weights_.norm.shift = inputs.vector("norm_shift", special());
  }
  void packWeights() override {
    packed_ = {weights_, static_cast<std::size_t>(special()), precision()};
  }
  void forwardImage(const Image& image) override {
    const auto classes = static_cast<std::size_t>(special());
    const std::size_t patches = image.tokens.count - classes, dim = image.tokens.dim;
    if (patches == 0) return;
    vit::maskHeadCpu({image.tokens.row(classes), patches, dim}, {image.tokens.data, classes, dim},
                     packed_, scratch_, {image.out, patches, classes});
  }

  vit::MaskHeadWeights weights_;
  vit::PackedMaskHead packed_;
  vit::MaskHeadScratch scratch_;  // nothing in it outlives a forward
};

class MeanRows final : public TokenLayer {
 public:
  explicit MeanRows(const LayerParams& params)
      : TokenLayer(LayerKind::meanRows, params, "tokens,rows,map"),
        withSpecial_(params.get<int>("with_special", 0) != 0) {}

 private:
  Shape outputShape(const TokenShape& shape, const InputShapes& shapes) const override {
    if (shapes.find("rows") != nullptr && shapes.find("map") == nullptr) {
      refuseLayer(identity_,
                  "has rows but no map, so it cannot know how often each row counts; "
                  "expected both, or neither");
    }
    return Shape{shape.batch, shape.dim};
  }
  void forwardImage(const Image& image) override {
    const auto special = static_cast<std::size_t>(shape().special);
    const std::size_t live = image.tokens.count - special;
    counts_.assign(image.tokens.count, 1);
    if (image.map != nullptr) {
      readIntegers(identity_, "map", image.map, shape().image,
                   {0, static_cast<int>(live) - 1, "the live image rows"}, map_);
      multiplicities(map_.data(), map_.size(), counts_.data() + special, live);
    }
    const std::size_t first = withSpecial_ ? 0 : special;
    vit::meanRows({image.tokens.row(first), image.tokens.count - first, image.tokens.dim},
                  counts_.data() + first, image.out);
  }

  bool withSpecial_;
  std::vector<std::int32_t> map_, counts_;  // nothing in them outlives a forward
};

}  // namespace

LayerPtr makeLinear(const LayerParams& params) { return cv::makePtr<Linear>(params); }
LayerPtr makeNormalize(const LayerParams& params) { return cv::makePtr<Normalize>(params); }
LayerPtr makeMaskDecoderHead(const LayerParams& params) {
  return cv::makePtr<MaskDecoderHead>(params);
}
LayerPtr makeMeanRows(const LayerParams& params) { return cv::makePtr<MeanRows>(params); }

}  // namespace mpm::dnn
