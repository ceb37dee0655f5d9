// SPDX-License-Identifier: Apache-2.0
#include "dnn/patch_embed_layer.h"

#include <algorithm>

namespace mpm::dnn {

using cv::dnn::MatShape;
using std::to_string;

PatchEmbedLayer::PatchEmbedLayer(const cv::dnn::LayerParams& params)
    : Layer(params),
      DeviceLayer({kType, params.name}, params),
      identity_{kType, params.name},
      names_(identity_, params.get<cv::String>("inputs", "image,weight,bias,position,special")) {
  const int patch = params.get<int>("patch", 16);
  if (patch < 1) refuseLayer(identity_, "patch = " + to_string(patch) + "; expected 1 or more");
  weights_.patch = static_cast<std::size_t>(patch);
  if (params.has("grid")) {
    const cv::dnn::DictValue& grid = params.get("grid");
    for (int i = 0; i < grid.size(); ++i) grid_.push_back(grid.get<int>(i));
    if (grid_.size() != 2 || grid_[0] < 1 || grid_[1] < 1)
      refuseLayer(identity_, "grid: expected [height, width] in patches, both 1 or more");
  }
  readPrecision(identity_, params);
  if (names_.index("image", 1) != 0) {
    refuseLayer(identity_, "the first of its inputs must be image");
  }
}

int PatchEmbedLayer::dim() const {
  const int weight = names_.index("weight", blobs.size() + 1) - 1;  // behind the image
  return weight < 0 ? 0 : blobs[static_cast<std::size_t>(weight)].size[0];
}

void PatchEmbedLayer::checkImage(const MatShape& image) const {
  const int patch = static_cast<int>(weights_.patch);
  const bool fits = image.size() == 4 && image[0] > 0 && image[1] > 0 && image[2] >= patch &&
                    image[3] >= patch && image[2] % patch == 0 && image[3] % patch == 0;
  if (!fits) {
    refuseInput(identity_, "image",
                "is " + shapeText(image) +
                    "; expected [batch x channels x height x width], height and " +
                    "width multiples of patch = " + to_string(patch));
  }
  if (!grid_.empty() && (image[2] != grid_[0] * patch || image[3] != grid_[1] * patch)) {
    refuseInput(identity_, "image",
                "is " + shapeText(image) + "; expected a height of " + to_string(grid_[0] * patch) +
                    " and a width of " + to_string(grid_[1] * patch));
  }
}

bool PatchEmbedLayer::getMemoryShapes(const std::vector<MatShape>& inputs, const int,
                                      std::vector<MatShape>& outputs,
                                      std::vector<MatShape>&) const {
  names_.checkCount(inputs.size(), blobs.size(), 2);
  const std::vector<MatShape> shapes = allShapes(inputs, *this);
  checkImage(shapes[0]);
  const int patch = static_cast<int>(weights_.patch);
  const int patches = (shapes[0][2] / patch) * (shapes[0][3] / patch);
  const int weight = names_.index("weight", shapes.size());
  const int special = names_.index("special", shapes.size());
  if (weight < 0) refuseLayer(identity_, "has no input weight, which it needs");
  const int specialRows = special < 0 ? 0 : shapes[static_cast<std::size_t>(special)][0];
  outputs = {
      MatShape{shapes[0][0], specialRows + patches, shapes[static_cast<std::size_t>(weight)][0]}};
  return false;
}

void PatchEmbedLayer::readWeights(const LayerInputs& inputs, const MatShape& image) {
  const int patch = static_cast<int>(weights_.patch);
  const int patches = (image[2] / patch) * (image[3] / patch);
  weights_.projection.weight = inputs.matrix("weight", -1, image[1] * patch * patch);
  const int dim = static_cast<int>(weights_.projection.weight.count);
  weights_.projection.bias = inputs.vector("bias", dim);
  weights_.position = {};
  weights_.special = {};
  if (inputs.find("position") != nullptr)
    weights_.position = inputs.matrix("position", patches, dim);
  if (inputs.find("special") != nullptr) weights_.special = inputs.matrix("special", -1, dim);
}

void PatchEmbedLayer::packWeights() {
  packed_.patch = weights_.patch;
  packed_.projection = {weights_.projection, precision()};
  const auto own = [](ConstRows rows, cv::Mat& mat) -> ConstRows {
    if (rows.count == 0) return {};
    const int size[] = {static_cast<int>(rows.count), static_cast<int>(rows.dim)};
    mat.create(2, size, CV_32F);
    std::copy_n(rows.data, rows.count * rows.dim, mat.ptr<float>());
    return {mat.ptr<float>(), rows.count, rows.dim};
  };
  packed_.position = own(weights_.position, position_);
  packed_.special = own(weights_.special, special_);
}

void PatchEmbedLayer::forward(cv::InputArrayOfArrays inputArrays,
                              cv::OutputArrayOfArrays outputArrays, cv::OutputArrayOfArrays) {
  std::vector<cv::Mat> spare;
  std::vector<cv::Mat>& outputs = matsOf(outputArrays, spare);
  LayerInputs inputs(identity_, names_, *this, inputArrays);
  const bool changed = inputs.changed(seen_);
  if (changed) {
    seen_.clear();  // until the shapes are found right
    shape_ = cv::dnn::shape(inputs.get("image"));
    checkImage(shape_);
  }
  const MatShape& shape = shape_;
  if (changed || !(isPacked() || isHandedOver())) readWeights(inputs, shape);
  if (changed) inputs.changed(seen_);
  if (forwardOnDevice(inputs, blobs, outputs, {})) return;
  bringToHost(inputs);
  const cv::Mat& images = inputs.get("image");
  packWhereDue(identity_, inputs.areConstantsFrom({"image"}), blobs, [&] { packWeights(); });
  const auto size = [&](int axis) {
    return static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]);
  };
  for (int b = 0; b < shape[0]; ++b) {
    const vit::Image image{images.ptr<float>(b), size(1), size(2), size(3)};
    const std::size_t rows = weights_.special.count + vit::patchCount(image, weights_.patch);
    vit::patchEmbedCpu(image, packed_,
                       {outputs[0].ptr<float>(b), rows, weights_.projection.weight.count});
  }
}

}  // namespace mpm::dnn
