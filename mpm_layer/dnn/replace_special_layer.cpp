// SPDX-License-Identifier: Apache-2.0
#include "dnn/replace_special_layer.h"

#include <algorithm>
#include <cstddef>

namespace mpm::dnn {

using cv::dnn::MatShape;
using std::to_string;

ReplaceSpecialLayer::ReplaceSpecialLayer(const cv::dnn::LayerParams& params)
    : Layer(params),
      DeviceLayer({kType, params.name}, params),
      identity_{kType, params.name},
      names_(identity_, params.get<cv::String>("inputs", "tokens,rows,special_rows")),
      special_(params.get<int>("special", -1)) {
  if (special_ < 0) {
    refuseLayer(identity_, "needs special = the number of rows in front to replace, 0 or more");
  }
  if (names_.index("tokens", 1) != 0) {
    refuseLayer(identity_, "the first of its inputs must be tokens");
  }
}

bool ReplaceSpecialLayer::getMemoryShapes(const std::vector<MatShape>& inputs,
                                          const int requiredOutputs, std::vector<MatShape>& outputs,
                                          std::vector<MatShape>&) const {
  names_.checkCount(inputs.size(), blobs.size(), 1);
  const std::vector<MatShape> shapes = allShapes(inputs, *this);
  const TokenShape shape = tokenShape(identity_, "tokens", shapes[0], nullptr, special_);
  const int index = names_.index("special_rows", shapes.size());
  int specialRows = 0;
  if (index >= 0) {
    const MatShape& replacement = shapes[static_cast<std::size_t>(index)];
    if (replacement.size() != 2 || replacement[1] != shape.dim) {
      refuseInput(identity_, "special_rows",
                  "is " + shapeText(replacement) + "; expected [any x " + to_string(shape.dim) +
                      "], the features of tokens");
    }
    specialRows = replacement[0];
  }
  outputs = {MatShape{shape.batch, specialRows + shape.image, shape.dim}, MatShape{shape.batch, 1}};
  keepOutputs(outputs, requiredOutputs);
  return false;
}

void ReplaceSpecialLayer::forward(cv::InputArrayOfArrays inputArrays,
                                  cv::OutputArrayOfArrays outputArrays, cv::OutputArrayOfArrays) {
  std::vector<cv::Mat> spare;
  std::vector<cv::Mat>& outputs = matsOf(outputArrays, spare);
  LayerInputs inputs(identity_, names_, *this, inputArrays);
  if (inputs.changed(seen_)) {
    seen_.clear();  // until the shape is found right
    shape_ =
        tokenShape(identity_, "tokens", cv::dnn::shape(inputs.get("tokens")), nullptr, special_);
    inputs.changed(seen_);
  }
  const TokenShape& shape = shape_;
  if (forwardOnDevice(inputs, blobs, outputs, {shape})) return;
  bringToHost(inputs);
  const cv::Mat& tokens = inputs.get("tokens");
  const cv::Mat* rows = inputs.find("rows");
  const cv::Mat* replacement = inputs.find("special_rows");
  const ConstRows special =
      replacement == nullptr ? ConstRows() : inputs.matrix("special_rows", -1, shape.dim);

  const auto dim = static_cast<std::size_t>(shape.dim);
  for (int image = 0; image < shape.batch; ++image) {
    const int liveImage = liveRows(identity_, rows, image, shape) - shape.special;
    const float* in = tokens.ptr<float>(image) + static_cast<std::size_t>(shape.special) * dim;
    float* out = std::copy_n(special.data, special.count * dim, outputs[0].ptr<float>(image));
    std::copy_n(in, static_cast<std::size_t>(liveImage) * dim, out);
    if (outputs.size() > 1) {
      outputs[1].ptr<float>()[image] =
          static_cast<float>(special.count) + static_cast<float>(liveImage);
    }
  }
}

}  // namespace mpm::dnn
