// SPDX-License-Identifier: Apache-2.0
#include "dnn/merge_restore_layer.h"

#include <cstring>

#include "mpm/merge.h"

namespace mpm::dnn {

using cv::dnn::MatShape;
using std::to_string;

MergeRestoreLayer::MergeRestoreLayer(const cv::dnn::LayerParams& params)
    : Layer(params),
      DeviceLayer({kType, params.name}, params),
      identity_{kType, params.name},
      names_(identity_, "tokens,map"),
      special_(params.get<int>("special", -1)) {
  if (params.has("special") && special_ < 0) {
    refuseLayer(identity_, "special = " + to_string(special_) + "; expected 0 or more");
  }
}

bool MergeRestoreLayer::getMemoryShapes(const std::vector<MatShape>& inputs, const int,
                                        std::vector<MatShape>& outputs,
                                        std::vector<MatShape>&) const {
  names_.checkCount(inputs.size(), blobs.size(), 2);
  const MatShape map = inputs.size() > 1 ? inputs[1] : cv::dnn::shape(blobs[0]);
  tokenShape(identity_, "tokens", inputs[0], &map, special_);
  outputs = {inputs[0]};
  return false;
}

void MergeRestoreLayer::forward(cv::InputArrayOfArrays inputArrays,
                                cv::OutputArrayOfArrays outputArrays, cv::OutputArrayOfArrays) {
  std::vector<cv::Mat> spare;
  std::vector<cv::Mat>& outputs = matsOf(outputArrays, spare);
  LayerInputs inputs(identity_, names_, *this, inputArrays);
  if (inputs.changed(seen_)) {
    seen_.clear();  // until the shapes are found right
    const MatShape mapShape = cv::dnn::shape(inputs.get("map"));
    const MatShape tokens = cv::dnn::shape(inputs.get("tokens"));
    shape_ = tokenShape(identity_, "tokens", tokens, &mapShape, special_);
    inputs.changed(seen_);
  }
  const TokenShape& shape = shape_;
  if (forwardOnDevice(inputs, blobs, outputs, {shape})) return;
  bringToHost(inputs);
  const cv::Mat& tokens = inputs.get("tokens");
  const cv::Mat& map = inputs.get("map");

  const auto special = static_cast<std::size_t>(shape.special);
  const auto count = static_cast<std::size_t>(shape.image);
  const auto dim = static_cast<std::size_t>(shape.dim);
  for (int image = 0; image < shape.batch; ++image) {
    readIntegers(identity_, "map", map.ptr<float>(image), shape.image,
                 {0, shape.image - 1, "the image rows"}, map_);
    const float* in = tokens.ptr<float>(image);
    float* out = outputs[0].ptr<float>(image);
    std::memcpy(out, in, special * dim * sizeof(float));
    restore(ConstRows(in + special * dim, count, dim), map_.data(),
            Rows(out + special * dim, count, dim));
  }
}

}  // namespace mpm::dnn
