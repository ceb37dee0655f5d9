// SPDX-License-Identifier: Apache-2.0
// OpenCV 4: a net knows the shapes of all blobs before its first forward, and computes only the
// requested outputs.
#include <opencv2/dnn/shape_utils.hpp>

#include "dnn/host.h"

namespace mpm::dnn {

cv::dnn::Net importOnnx(const std::string& model) {
  return cv::dnn::readNetFromONNX(model.data(), model.size());
}

LayerPtr makeWhileReading(const std::function<LayerPtr()>& make) { return make(); }

std::size_t constantsBehind(const cv::dnn::Layer&, std::size_t) { return 0; }

LayerPtr layerOf(cv::dnn::Net& net, const std::string& name) {
  return net.getLayerId(name) < 0 ? LayerPtr() : net.getLayer(name);
}

// Recognises the net's own input by its missing type or name.
std::vector<LayerPtr> sourcesOf(cv::dnn::Net& net, const cv::dnn::Layer& layer) {
  std::vector<LayerPtr> sources = net.getLayerInputs(net.getLayerId(layer.name));
  for (LayerPtr& source : sources) {
    if (source->name.empty() || source->type.empty()) source.reset();
  }
  return sources;
}

void forwardTo(cv::dnn::Net& net, const std::vector<cv::String>& names,
               std::vector<std::vector<cv::Mat>>& blobs) {
  net.forward(blobs, names);
}

cv::Mat runAlone(cv::dnn::Net&, const std::vector<LayerPtr>& behind,
                 const std::vector<cv::Mat>& values) {
  std::vector<cv::Mat> inputs = values;
  for (const LayerPtr& layer : behind) {
    std::vector<HostShape> given, shapes, inner;
    for (const cv::Mat& input : inputs) given.push_back(cv::dnn::shape(input));
    layer->getMemoryShapes(given, 1, shapes, inner);
    if (shapes.size() != 1 || !inner.empty()) return {};
    std::vector<cv::Mat> outputs{cv::Mat(shapes[0], CV_32F)}, internals;
    layer->finalize(cv::InputArrayOfArrays(inputs), cv::OutputArrayOfArrays(outputs));
    layer->forward(inputs, outputs, internals);
    inputs = outputs;
  }
  return inputs.at(0);
}

std::vector<Shape> outputShapes(cv::dnn::Net& net, const std::string& layer,
                                const std::vector<Shape>& inputs) {
  const int id = net.getLayerId(layer);
  std::vector<HostShape> in, out;
  try {
    if (id > 0) net.getLayerShapes(inputs, id, in, out);
  } catch (const cv::Exception&) {
    return {};
  }
  return out;
}

}  // namespace mpm::dnn
