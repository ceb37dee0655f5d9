// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <opencv2/dnn.hpp>
#include <opencv2/dnn/layer.hpp>
#include <random>
#include <string>
#include <vector>

#include "dnn/token_blobs.h"
#include "mpm/layers.h"

namespace mpm::test {

inline cv::Mat normalBlob(const std::vector<int>& shape, std::uint32_t seed) {
  cv::Mat blob(shape, CV_32F);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < blob.total(); ++i) blob.ptr<float>()[i] = normal(random);
  return blob;
}

inline cv::Mat filledBlob(const std::vector<int>& shape, const std::vector<float>& values) {
  cv::Mat blob(shape, CV_32F);
  CV_Assert(blob.total() == values.size());
  std::copy(values.begin(), values.end(), blob.ptr<float>());
  return blob;
}

/// Makes a layer the way a net does: by its type's name, with constants as blobs.
inline cv::Ptr<cv::dnn::Layer> makeLayer(const std::string& type, cv::dnn::LayerParams params,
                                         const std::vector<cv::Mat>& constants = {}) {
  registerLayers();
  params.name = "sut";
  params.type = type;
  params.blobs = constants;
  cv::Ptr<cv::dnn::Layer> layer = cv::dnn::LayerFactory::createLayerInstance(type, params);
  CV_Assert(layer);
  return layer;
}

/// Asks for shapes, gives outputs full of `poison`, and runs the layer.
inline std::vector<cv::Mat> callLayer(cv::dnn::Layer& layer, const std::vector<cv::Mat>& inputs,
                                      float poison = 12345) {
  std::vector<dnn::HostShape> shapes, outputShapes, internalShapes;
  for (const cv::Mat& input : inputs) shapes.emplace_back(input.size.p, input.size.p + input.dims);
  int required = 1;
#if CV_VERSION_MAJOR >= 5
  required = std::max<int>(required, static_cast<int>(layer.outputs.size()));
#endif
  layer.getMemoryShapes(shapes, required, outputShapes, internalShapes);
  std::vector<cv::Mat> outputs, internals;
  for (const dnn::HostShape& shape : outputShapes) {
    outputs.emplace_back(std::vector<int>(shape.begin(), shape.end()), CV_32F, cv::Scalar(poison));
  }
  layer.forward(inputs, outputs, internals);
  return outputs;
}

}  // namespace mpm::test
