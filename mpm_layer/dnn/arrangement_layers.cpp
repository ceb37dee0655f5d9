// SPDX-License-Identifier: Apache-2.0
// mpm.MergeRestore and mpm.ReplaceSpecial: rows move, and none is computed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dnn/net_layer.h"
#include "mpm/merge.h"

namespace mpm::dnn {
namespace {

using cv::dnn::LayerParams;

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

LayerPtr makeMergeRestore(const LayerParams& params) { return cv::makePtr<MergeRestore>(params); }
LayerPtr makeReplaceSpecial(const LayerParams& params) {
  return cv::makePtr<ReplaceSpecial>(params);
}

}  // namespace mpm::dnn
