// SPDX-License-Identifier: Apache-2.0
// mpm.PatchEmbed
#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "dnn/net_layer.h"
#include "vit/patch_embed.h"

namespace mpm::dnn {
namespace {

using cv::dnn::LayerParams;
using std::to_string;

class PatchEmbed final : public NetLayer {
 public:
  explicit PatchEmbed(const LayerParams& params);

 private:
  TokenShape checkShapes(const InputShapes& shapes) const override;
  std::vector<Shape> outputShapes(const TokenShape&, const InputShapes& shapes) const override;
  void readWeights(const LayerInputs& inputs) override;
  void packWeights() override;
  void compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) override;

  int patch() const { return static_cast<int>(weights_.patch); }

  std::vector<int> grid_;  // height and width in patches, or empty: any
  vit::PatchEmbedWeights weights_;

  vit::PackedPatchEmbed packed_;
  std::vector<float> position_, special_;  // what packed_ refers to
};

PatchEmbed::PatchEmbed(const LayerParams& params)
    : NetLayer(LayerKind::patchEmbed, params, "image,weight,bias,position,special", 2),
      grid_(numbers("grid")) {
  const int patch = params.get<int>("patch", 16);
  if (patch < 1) refuseLayer(identity_, "patch = " + to_string(patch) + "; expected 1 or more");
  weights_.patch = static_cast<std::size_t>(patch);
  if (params.has("grid") && (grid_.size() != 2 || grid_[0] < 1 || grid_[1] < 1))
    refuseLayer(identity_, "grid: expected [height, width] in patches, both 1 or more");
}

TokenShape PatchEmbed::checkShapes(const InputShapes& shapes) const {
  const Shape& image = shapes.get("image");
  const int side = patch();
  const bool fits = image.size() == 4 && image[0] > 0 && image[1] > 0 && image[2] >= side &&
                    image[3] >= side && image[2] % side == 0 && image[3] % side == 0;
  if (!fits) {
    refuseInput(identity_, "image",
                "is " + shapeText(image) +
                    "; expected [batch x channels x height x width], height and " +
                    "width multiples of patch = " + to_string(side));
  }
  const Shape& weight = shapes.get("weight");
  const int features = std::accumulate(weight.begin() + 1, weight.end(), 1, std::multiplies<>());
  if (features % (side * side) == 0 && features != image[1] * side * side) {
    refuseInput(identity_, "image",
                "is " + shapeText(image) + "; its weights are for " +
                    to_string(features / (side * side)) + " channels");
  }
  if (!grid_.empty() && (image[2] != grid_[0] * side || image[3] != grid_[1] * side)) {
    refuseInput(identity_, "image",
                "is " + shapeText(image) + "; expected a height of " + to_string(grid_[0] * side) +
                    " and a width of " + to_string(grid_[1] * side));
  }
  return {};
}

std::vector<Shape> PatchEmbed::outputShapes(const TokenShape&, const InputShapes& shapes) const {
  const Shape& image = shapes.get("image");
  const Shape* special = shapes.find("special");
  const int patches = (image[2] / patch()) * (image[3] / patch());
  return {
      Shape{image[0], (special == nullptr ? 0 : (*special)[0]) + patches, shapes.get("weight")[0]}};
}

void PatchEmbed::readWeights(const LayerInputs& inputs) {
  const cv::MatSize& image = inputs.get("image").size;
  const int patches = (image[2] / patch()) * (image[3] / patch());
  weights_.projection.weight = inputs.matrix("weight", -1, image[1] * patch() * patch());
  const int dim = static_cast<int>(weights_.projection.weight.count);
  weights_.projection.bias = inputs.vector("bias", dim);
  weights_.position = {};
  weights_.special = {};
  if (inputs.find("position") != nullptr)
    weights_.position = inputs.matrix("position", patches, dim);
  if (inputs.find("special") != nullptr) weights_.special = inputs.matrix("special", -1, dim);
}

void PatchEmbed::packWeights() {
  packed_.patch = weights_.patch;
  packed_.projection = {weights_.projection, vit::unquantised(precision())};
  const auto own = [](ConstRows rows, std::vector<float>& values) -> ConstRows {
    values.assign(rows.data, rows.data + rows.count * rows.dim);
    return {values.data(), rows.count, rows.dim};
  };
  packed_.position = own(weights_.position, position_);
  packed_.special = own(weights_.special, special_);
}

void PatchEmbed::compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) {
  const cv::Mat& images = inputs.get("image");
  const auto size = [&](int axis) { return static_cast<std::size_t>(images.size[axis]); };
  for (int b = 0; b < images.size[0]; ++b) {
    const vit::Image image{images.ptr<float>(b), size(1), size(2), size(3)};
    const std::vector<std::int32_t>* const fresh = freshRows();
    const std::size_t patches =
        fresh == nullptr ? vit::patchCount(image, weights_.patch) : fresh->size();
    const std::size_t rows = weights_.special.count + patches;
    vit::patchEmbedCpu(image, packed_,
                       {outputs[0].ptr<float>(b), rows, weights_.projection.weight.count}, fresh);
    if (memory() != nullptr) memory()->noteRows(rows);
  }
}

}  // namespace

LayerPtr makePatchEmbed(const LayerParams& params) { return cv::makePtr<PatchEmbed>(params); }

}  // namespace mpm::dnn
