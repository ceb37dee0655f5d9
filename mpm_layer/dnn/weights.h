// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/dnn.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "mpm/export.h"

namespace mpm::dnn {

/// Constants for layers of a net that is about to be made, by the layer's name. They are in the
/// order in which they would have come as blobs. In a net read from ONNX the name is the node's, or
/// its first output's if the node has none. OpenCV 5 gives no name by which to find such a node.
using LayerWeights = std::unordered_map<std::string, std::vector<cv::Mat>>;

/// While one lives, layers of this library that this thread creates take their constants from it,
/// after those of the model. The importer creates layers while it reads, so a scope only has to
/// enclose reading. Memory is shared, not copied: a layer keeps the Mats. Memory that a Mat wraps
/// has to live as long as the net. In nested scopes only the innermost counts. A scope ends in the
/// thread that it began in.
class MPM_API ScopedWeights {
 public:
  explicit ScopedWeights(LayerWeights weights);
  ~ScopedWeights();
  ScopedWeights(const ScopedWeights&) = delete;
  ScopedWeights& operator=(const ScopedWeights&) = delete;

  /// Returns the constants for a layer, or null. OpenCV 4 names a node's layer "onnx_node!NAME" or
  /// "onnx_node_output_0!OUTPUT"; both, and the bare name, find it.
  const std::vector<cv::Mat>* find(const std::string& layer) const;

 private:
  LayerWeights weights_;
  const ScopedWeights* outer_;
};

/// Returns the node's name from a layer's name: without OpenCV 4's prefix if there is one.
std::string nodeName(const std::string& layer);

/// Returns the params of a layer that is about to be created, with this thread's ScopedWeights.
cv::dnn::LayerParams withScopedWeights(const cv::dnn::LayerParams& params);

}  // namespace mpm::dnn
