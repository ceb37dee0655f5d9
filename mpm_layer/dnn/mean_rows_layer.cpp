// SPDX-License-Identifier: Apache-2.0
#include "dnn/mean_rows_layer.h"

#include <cstddef>

#include "mpm/merge.h"
#include "vit/mean_rows.h"

namespace mpm::dnn {

MeanRowsLayer::MeanRowsLayer(const cv::dnn::LayerParams& params)
    : TokenLayer(kType, params, "tokens,rows,map"),
      withSpecial_(params.get<int>("with_special", 0) != 0) {}

cv::dnn::MatShape MeanRowsLayer::outputShape(const TokenShape& shape,
                                             const ShapeOf& shapeOf) const {
  if (shapeOf("rows") != nullptr && shapeOf("map") == nullptr) {
    refuseLayer(identity_,
                "has rows but no map, so it cannot know how often each row counts; "
                "expected both, or neither");
  }
  return cv::dnn::MatShape{shape.batch, shape.dim};
}

void MeanRowsLayer::readWeights(const LayerInputs&, const TokenShape&) {}

void MeanRowsLayer::forwardImage(const TokenShape& shape, const Image& image) {
  const auto special = static_cast<std::size_t>(shape.special);
  const std::size_t live = image.tokens.count - special;
  counts_.assign(image.tokens.count, 1);
  if (image.map != nullptr) {
    readIntegers(identity_, "map", image.map, shape.image,
                 {0, static_cast<int>(live) - 1, "the live image rows"}, map_);
    multiplicities(map_.data(), map_.size(), counts_.data() + special, live);
  }
  const std::size_t first = withSpecial_ ? 0 : special;
  vit::meanRows({image.tokens.row(first), image.tokens.count - first, image.tokens.dim},
                counts_.data() + first, image.out);
}

}  // namespace mpm::dnn
