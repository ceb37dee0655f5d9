// SPDX-License-Identifier: Apache-2.0
#include "dnn/token_layer.h"

namespace mpm::dnn {

using cv::dnn::MatShape;

TokenLayer::TokenLayer(const char* kind, const cv::dnn::LayerParams& params, const char* inputs)
    : Layer(params),
      identity_{kind, params.name},
      names_(identity_, params.get<cv::String>("inputs", inputs)),
      special_(params.get<int>("special", -1)) {
  if (params.has("special") && special_ < 0) {
    refuseLayer(identity_, "special = " + std::to_string(special_) + "; expected 0 or more");
  }
  if (names_.index("tokens", 1) != 0)
    refuseLayer(identity_, "the first of its inputs must be tokens");
}

TokenShape TokenLayer::checkTokens(const std::vector<MatShape>& shapes) const {
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
  return false;
}

void TokenLayer::forward(cv::InputArrayOfArrays inputArrays, cv::OutputArrayOfArrays outputArrays,
                         cv::OutputArrayOfArrays) {
  std::vector<cv::Mat> outputs;
  outputArrays.getMatVector(outputs);
  const LayerInputs inputs(identity_, names_, *this, inputArrays);
  const TokenShape shape = checkTokens(inputs.shapes());
  const cv::Mat& tokens = inputs.get("tokens");
  const cv::Mat* rows = inputs.find("rows");
  const cv::Mat* map = inputs.find("map");
  readWeights(inputs, shape);
  for (int b = 0; b < shape.batch; ++b) {
    const auto live = static_cast<std::size_t>(liveRows(identity_, rows, b, shape));
    forwardImage(shape, {{tokens.ptr<float>(b), live, static_cast<std::size_t>(shape.dim)},
                         map == nullptr ? nullptr : map->ptr<float>(b),
                         outputs[0].ptr<float>(b)});
  }
}

}  // namespace mpm::dnn
