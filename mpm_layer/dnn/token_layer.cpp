// SPDX-License-Identifier: Apache-2.0
#include "dnn/token_layer.h"

namespace mpm::dnn {

using cv::dnn::MatShape;

TokenLayer::TokenLayer(const char* kind, const cv::dnn::LayerParams& params, const char* inputs,
                       Takes takes)
    : Layer(params),
      DeviceLayer({kind, params.name}, params),
      identity_{kind, params.name},
      names_(identity_, params.get<cv::String>("inputs", inputs)),
      special_(params.get<int>("special", -1)),
      takes_(takes) {
  if (params.has("special") && special_ < 0) {
    refuseLayer(identity_, "special = " + std::to_string(special_) + "; expected 0 or more");
  }
  readPrecision(identity_, params);
  if (names_.index("tokens", 1) != 0)
    refuseLayer(identity_, "the first of its inputs must be tokens");
}

bool TokenLayer::areSingleRows(const MatShape& tokens) const {
  return takes_ == Takes::tokensOrSingleRows && tokens.size() == 2;
}

TokenShape TokenLayer::checkTokens(const std::vector<MatShape>& shapes) const {
  if (areSingleRows(shapes[0])) {
    if (names_.index("rows", shapes.size()) >= 0) {
      refuseInput(identity_, "rows",
                  "is there, but tokens is " + shapeText(shapes[0]) +
                      ", one live row for each image; expected no rows");
    }
    const MatShape tokens{shapes[0][0], 1, shapes[0][1]};
    return tokenShape(identity_, "tokens", tokens, nullptr, special_);
  }
  const int map = names_.index("map", shapes.size());
  const MatShape* mapShape = map < 0 ? nullptr : &shapes[static_cast<std::size_t>(map)];
  return tokenShape(identity_, "tokens", shapes[0], mapShape, special_);
}

const MatShape& TokenLayer::need(const ShapeOf& shapeOf, const std::string& input) const {
  const MatShape* shape = shapeOf(input);
  if (shape == nullptr) refuseLayer(identity_, "has no input " + input + ", which it needs");
  return *shape;
}

bool TokenLayer::getMemoryShapes(const std::vector<MatShape>& inputs, const int,
                                 std::vector<MatShape>& outputs, std::vector<MatShape>&) const {
  names_.checkCount(inputs.size(), blobs.size(), 1);
  const std::vector<MatShape> shapes = allShapes(inputs, *this);
  const auto shapeOf = [&](const std::string& input) -> const MatShape* {
    const int index = names_.index(input, shapes.size());
    return index < 0 ? nullptr : &shapes[static_cast<std::size_t>(index)];
  };
  outputs = {outputShape(checkTokens(shapes), shapeOf)};
  if (areSingleRows(shapes[0])) outputs = {MatShape{outputs[0][0], outputs[0][2]}};
  return false;
}

void TokenLayer::forward(cv::InputArrayOfArrays inputArrays, cv::OutputArrayOfArrays outputArrays,
                         cv::OutputArrayOfArrays) {
  std::vector<cv::Mat> spare;
  std::vector<cv::Mat>& outputs = matsOf(outputArrays, spare);
  LayerInputs inputs(identity_, names_, *this, inputArrays);
  const bool changed = inputs.changed(seen_);
  if (changed) {
    seen_.clear();  // until the shapes are found right
    shape_ = checkTokens(inputs.shapes());
  }
  const TokenShape& shape = shape_;
  if (changed || !(isPacked() || isHandedOver())) readWeights(inputs, shape);
  if (changed) inputs.changed(seen_);
  if (forwardOnDevice(inputs, blobs, outputs, {shape})) return;
  bringToHost(inputs);
  const cv::Mat& tokens = inputs.get("tokens");
  const cv::Mat* rows = inputs.find("rows");
  const cv::Mat* map = inputs.find("map");
  packWhereDue(identity_, inputs.areConstantsFrom({"tokens", "rows", "map"}), blobs,
               [&] { packWeights(); });
  for (int b = 0; b < shape.batch; ++b) {
    const auto live = static_cast<std::size_t>(liveRows(identity_, rows, b, shape));
    forwardImage(shape, {{tokens.ptr<float>(b), live, static_cast<std::size_t>(shape.dim)},
                         map == nullptr ? nullptr : map->ptr<float>(b),
                         outputs[0].ptr<float>(b)});
  }
}

}  // namespace mpm::dnn
