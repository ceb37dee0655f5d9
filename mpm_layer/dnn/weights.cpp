// SPDX-License-Identifier: Apache-2.0
#include "dnn/weights.h"

#include <utility>

namespace mpm::dnn {
namespace {

thread_local const ScopedWeights* innermost = nullptr;

}  // namespace

std::string nodeName(const std::string& layer) {
  const std::size_t mark = layer.find('!');
  const bool prefixed =
      mark != std::string::npos &&
      (layer.compare(0, mark, "onnx_node") == 0 ||
       layer.compare(0, sizeof("onnx_node_output_") - 1, "onnx_node_output_") == 0);
  return prefixed ? layer.substr(mark + 1) : layer;
}

ScopedWeights::ScopedWeights(LayerWeights weights)
    : weights_(std::move(weights)), outer_(innermost) {
  innermost = this;
}

ScopedWeights::~ScopedWeights() { innermost = outer_; }

const std::vector<cv::Mat>* ScopedWeights::find(const std::string& layer) const {
  auto found = weights_.find(layer);
  if (found == weights_.end()) found = weights_.find(nodeName(layer));
  return found == weights_.end() ? nullptr : &found->second;
}

cv::dnn::LayerParams withScopedWeights(const cv::dnn::LayerParams& params) {
  cv::dnn::LayerParams result = params;
  if (innermost == nullptr) return result;
  const std::vector<cv::Mat>* weights = innermost->find(params.name);
  if (weights != nullptr) {
    result.blobs.insert(result.blobs.end(), weights->begin(), weights->end());
  }
  return result;
}

}  // namespace mpm::dnn
