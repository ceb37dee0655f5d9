// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/dnn.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "mpm/export.h"

namespace mpm::dnn {

/// Constants for layers that a net is about to be made of, by the layer's name: in the order in
/// which they would have come as blobs. Of a net read from ONNX the name is the node's, or that of
/// its first output where the node has none; OpenCV 5 says nothing of such a node that it could be
/// found by.
using LayerWeights = std::unordered_map<std::string, std::vector<cv::Mat>>;

/// While one lives, layers of this library that this thread creates take their constants from it,
/// behind those that came with the model. The importer creates layers while it reads, so reading
/// is all that has to happen within. Memory is shared, not copied: a layer keeps the Mats, and
/// where a Mat wraps memory of somebody else's, that has to live as long as the net. Of several
/// scopes the innermost alone holds. A scope ends in the thread that it began in.
class MPM_API ScopedWeights {
 public:
  explicit ScopedWeights(LayerWeights weights);
  ~ScopedWeights();
  ScopedWeights(const ScopedWeights&) = delete;
  ScopedWeights& operator=(const ScopedWeights&) = delete;

  /// The constants for a layer, or null. OpenCV 4 names a node's layer "onnx_node!NAME" or
  /// "onnx_node_output_0!OUTPUT"; both, and the bare name, find it.
  const std::vector<cv::Mat>* find(const std::string& layer) const;

 private:
  LayerWeights weights_;
  const ScopedWeights* outer_;
};

/// The node's name in a layer's, where OpenCV 4 has put its own in front; as it is where not.
std::string nodeName(const std::string& layer);

/// The params of a layer that is about to be created, this thread's ScopedWeights included.
cv::dnn::LayerParams withScopedWeights(const cv::dnn::LayerParams& params);

}  // namespace mpm::dnn
