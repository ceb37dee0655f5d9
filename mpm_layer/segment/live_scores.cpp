// SPDX-License-Identifier: Apache-2.0
#include "segment/live_scores.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "dnn/merge_restore_layer.h"
#include "dnn/mutual_pair_merge_layer.h"
#include "dnn/upsample_layer.h"

namespace mpm::segment {
namespace {

using LayerPtr = cv::Ptr<cv::dnn::Layer>;

std::vector<LayerPtr> inputsOf(cv::dnn::Net& net, const std::string& layer) {
  return net.getLayerInputs(net.getLayerId(layer));
}

// Linear, without constants of their own: what they do to one set of scores they do to any.
bool onlyMoves(const cv::dnn::Layer& layer) {
  constexpr const char* kTypes[] = {
      "Identity", "Reshape", "Flatten", "Permute", "Slice", "Resize", dnn::UpsampleLayer::kType};
  return std::any_of(std::begin(kTypes), std::end(kTypes),
                     [&](const char* type) { return layer.type == type; });
}

cv::Mat planeOf(const cv::Mat& blob, int k) {
  return {blob.size[2], blob.size[3], CV_32F, const_cast<float*>(blob.ptr<float>(0, k))};
}

}  // namespace

std::optional<LiveScores> findLiveScores(cv::dnn::Net& net, const std::string& output) {
  std::string name = output;
  for (LayerPtr layer = net.getLayer(name); onlyMoves(*layer); layer = net.getLayer(name)) {
    const std::vector<LayerPtr> inputs = inputsOf(net, name);
    if (inputs.size() != 1 || inputs[0]->name.empty()) return std::nullopt;
    name = inputs[0]->name;
  }
  if (net.getLayer(name)->type != dnn::MergeRestoreLayer::kType) return std::nullopt;
  const std::vector<LayerPtr> inputs = inputsOf(net, name);
  if (inputs.size() != 2) return std::nullopt;
  // Its other outputs have other shapes, so that it is the map that the restore takes.
  if (inputs[1]->type != dnn::MutualPairMergeLayer::kType) return std::nullopt;
  return LiveScores{inputs[0]->name, inputs[1]->name};
}

bool isUpsampled(const cv::Mat& grid, const cv::Mat& output) {
  if (grid.dims != 4 || output.dims != 4 || output.size[0] != 1) return false;
  if (grid.size[1] != output.size[1]) return false;
  double largest = 0, difference = 0;
  cv::Mat resized;
  for (int k = 0; k < output.size[1]; ++k) {
    const cv::Mat plane = planeOf(grid, k), expected = planeOf(output, k);
    cv::resize(plane, resized, expected.size(), 0, 0, cv::INTER_LINEAR);
    if (!cv::checkRange(resized) || !cv::checkRange(expected)) return false;
    largest = std::max(largest, cv::norm(expected, cv::NORM_INF));
    difference = std::max(difference, cv::norm(resized, expected, cv::NORM_INF));
  }
  return difference <= 1e-4 * largest;
}

}  // namespace mpm::segment
