// SPDX-License-Identifier: Apache-2.0
// mpm.Linear and mpm.Normalize work row by row. mpm.MaskDecoderHead and mpm.MeanRows are at the end
// of a net. mpm.MergeRestore and mpm.ReplaceSpecial move rows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/gelu.h"
#include "dnn/net_layer.h"
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

class MergeRestore final : public NetLayer {
 public:
  explicit MergeRestore(const LayerParams& params)
      : NetLayer(LayerKind::mergeRestore, params, "tokens,map", 2) {}

 private:
  std::vector<Shape> outputShapes(const TokenShape& shape, const InputShapes&) const override {
    return {Shape{shape.batch, shape.special + shape.image, shape.dim}};
  }
  void compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) override {
    const cv::Mat& tokens = inputs.get("tokens");
    const cv::Mat& map = inputs.get("map");
    const auto count = static_cast<std::size_t>(shape().image);
    const auto dim = static_cast<std::size_t>(shape().dim);
    const std::size_t front = static_cast<std::size_t>(shape().special) * dim;
    for (int image = 0; image < shape().batch; ++image) {
      readIntegers(identity_, "map", map.ptr<float>(image), shape().image,
                   {0, shape().imageRows() - 1, "the image rows"}, map_);
      const float* in = tokens.ptr<float>(image);
      float* out = outputs[0].ptr<float>(image);
      std::copy_n(in, front, out);
      const auto rows = static_cast<std::size_t>(shape().imageRows());
      restore(ConstRows(in + front, rows, dim), map_.data(), Rows(out + front, count, dim));
    }
  }

  std::vector<std::int32_t> map_;  // nothing in it outlives a forward
};

class ReplaceSpecial final : public NetLayer {
 public:
  explicit ReplaceSpecial(const LayerParams& params)
      : NetLayer(LayerKind::replaceSpecial, params, "tokens,rows,special_rows"),
        keeps_(params.get<int>("keep", 0) != 0) {
    if (special() < 0)
      refuseLayer(identity_, "needs special = the number of rows in front to replace, 0 or more");
    if (params.has("kept"))
      refuseLayer(identity_,
                  "has kept, which is not computed any more; please convert the model "
                  "again");
  }

 private:
  std::vector<Shape> outputShapes(const TokenShape& shape,
                                  const InputShapes& shapes) const override {
    int rows = keeps_ ? shape.special : 0;
    if (const Shape* replacement = shapes.find("special_rows")) {
      if (replacement->size() != 2 || (*replacement)[1] != shape.dim) {
        refuseInput(identity_, "special_rows",
                    "is " + shapeText(*replacement) + "; expected [any x " +
                        std::to_string(shape.dim) + "], the features of tokens");
      }
      rows += (*replacement)[0];
    }
    return {Shape{shape.batch, rows + shape.image, shape.dim}, Shape{shape.batch, 1}};
  }
  void readWeights(const LayerInputs& inputs) override {
    given_ = inputs.find("special_rows") == nullptr
                 ? ConstRows()
                 : inputs.matrix("special_rows", -1, shape().dim);
  }
  void packWeights() override {
    front_.assign(given_.data, given_.data + given_.count * given_.dim);
  }
  void compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) override {
    const cv::Mat& tokens = inputs.get("tokens");
    const cv::Mat* rows = inputs.find("rows");
    const auto dim = static_cast<std::size_t>(shape().dim);
    for (int image = 0; image < shape().batch; ++image) {
      const int first = keeps_ ? 0 : shape().special;
      const int live = liveRows(identity_, rows, image, shape()) - first;
      const float* in = tokens.ptr<float>(image);
      float* out = std::copy(front_.begin(), front_.end(), outputs[0].ptr<float>(image));
      std::copy_n(in + static_cast<std::size_t>(first) * dim, static_cast<std::size_t>(live) * dim,
                  out);
      if (outputs.size() < 2) continue;
      outputs[1].ptr<float>()[image] = static_cast<float>(given_.count) + static_cast<float>(live);
    }
  }

  bool keeps_;
  ConstRows given_;
  std::vector<float> front_;
};

}  // namespace

LayerPtr makeLinear(const LayerParams& params) { return cv::makePtr<Linear>(params); }
LayerPtr makeNormalize(const LayerParams& params) { return cv::makePtr<Normalize>(params); }
LayerPtr makeMaskDecoderHead(const LayerParams& params) {
  return cv::makePtr<MaskDecoderHead>(params);
}
LayerPtr makeMeanRows(const LayerParams& params) { return cv::makePtr<MeanRows>(params); }
LayerPtr makeMergeRestore(const LayerParams& params) { return cv::makePtr<MergeRestore>(params); }
LayerPtr makeReplaceSpecial(const LayerParams& params) {
  return cv::makePtr<ReplaceSpecial>(params);
}

}  // namespace mpm::dnn
