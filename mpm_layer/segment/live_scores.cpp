// SPDX-License-Identifier: Apache-2.0
#include "segment/live_scores.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <opencv2/imgproc.hpp>
#include <string>

#include "dnn/host.h"
#include "dnn/net_layer.h"
#include "mpm/layer_kinds.h"

namespace mpm::segment {
namespace {

using dnn::LayerPtr;

// Linear, without constants of their own: what they do to one set of scores they do to any.
bool onlyMoves(const cv::dnn::Layer& layer) {
  constexpr const char* kTypes[] = {"Identity",
                                    "Reshape",
                                    "Flatten",
                                    "Permute",
                                    "Slice",
                                    "Resize",
                                    "Reshape2",
                                    "Transpose",
                                    "Slice2",
                                    "Resize2",
                                    "Squeeze",
                                    "Unsqueeze",  // OpenCV 5's
                                    typeOf(LayerKind::upsample)};
  return std::any_of(std::begin(kTypes), std::end(kTypes),
                     [&](const char* type) { return layer.type == type; });
}

// Of our own, and of additions alone: by trying it, one that clips what is large could not be told
// from it.
bool mayAdd(const LayerPtr& layer) {
  const auto ours = layer.dynamicCast<dnn::NetLayer>();
  if (!ours || layer->type != typeOf(LayerKind::subgraph)) return false;
  const std::map<std::string, int> operators = ours->operators();
  return operators.size() == 1 && operators.contains("Add");
}

cv::Mat planeOf(const cv::Mat& blob, int k) {
  return {blob.size[2], blob.size[3], CV_32F, const_cast<float*>(blob.ptr<float>(0, k))};
}

// Rows of scores [1, S + N, K] as planes of a grid [1, K, h, w], without the S rows in front.
cv::Mat planesOf(const cv::Mat& rows, const cv::Size& grid) {
  const int classes = rows.size[2], special = rows.size[1] - grid.area();
  const cv::Mat image(grid.area(), classes, CV_32F,
                      const_cast<float*>(rows.ptr<float>(0, special)));
  const int dims[] = {1, classes, grid.height, grid.width};
  return cv::Mat(image.t()).reshape(1, 4, dims);
}

}  // namespace

std::optional<LiveScores> findLiveScores(cv::dnn::Net& net, const std::string& output) {
  LiveScores live;
  LayerPtr layer = dnn::layerOf(net, output);
  while (layer && layer->type != typeOf(LayerKind::mergeRestore)) {
    const bool moves = onlyMoves(*layer);
    const std::vector<LayerPtr> sources = dnn::sourcesOf(net, *layer);
    if (sources.size() != 1 || (!moves && (live.adds > 0 || !mayAdd(layer)))) return std::nullopt;
    live.behind.insert(live.behind.begin(), layer);
    if (live.adds > 0 || !moves) ++live.adds;
    layer = sources[0];
  }
  if (!layer) return std::nullopt;
  const std::vector<LayerPtr> sources = dnn::sourcesOf(net, *layer);
  if (sources.size() != 2 || !sources[0] || !sources[1]) return std::nullopt;
  // Its other outputs have other shapes, so that it is the map that the restore takes.
  if (sources[1]->type != typeOf(LayerKind::mutualPairMerge)) return std::nullopt;
  live.scores = sources[0]->name;
  live.merge = sources[1]->name;
  if (const auto restore = layer.dynamicCast<dnn::NetLayer>())
    live.special = restore->number("special", -1);
  return live;
}

std::optional<cv::Mat> offsetsBehind(cv::dnn::Net& net, const LiveScores& live,
                                     const std::vector<int>& restored, const cv::Size& grid) {
  cv::Mat rows(restored, CV_32F);
  cv::RNG(1).fill(rows, cv::RNG::NORMAL, 0, 1);
  cv::Mat output = dnn::runAlone(net, live.behind, rows).clone(), offsets;
  if (output.empty()) return std::nullopt;
  if (live.adds > 0) {
    const cv::Mat zeros(restored, CV_32F, cv::Scalar(0));
    const std::vector<LayerPtr> front(live.behind.begin(), live.behind.begin() + live.adds);
    const cv::Mat base = dnn::runAlone(net, live.behind, zeros).clone();
    const cv::Mat added = dnn::runAlone(net, front, zeros);
    const std::vector<int> expected = {1, grid.area(), restored[2]};
    if (dnn::shapeOf(added) != expected || !isUpsampled(planesOf(added, grid), base))
      return std::nullopt;
    output -= base;
    offsets = added.reshape(1, grid.area()).clone();
  }
  return isUpsampled(planesOf(rows, grid), output) ? std::optional(offsets) : std::nullopt;
}

bool isUpsampled(const cv::Mat& grid, const cv::Mat& output) {
  if (grid.dims != 4 || output.dims != 4 || output.size[0] != 1) return false;
  if (grid.size[1] != output.size[1]) return false;
  const int classes = output.size[1];
  std::vector<double> largest(static_cast<std::size_t>(classes)), difference(largest);
  std::atomic<bool> finite = true;
  cv::parallel_for_({0, classes}, [&](const cv::Range& range) {
    cv::Mat resized;
    for (int k = range.start; k < range.end && finite; ++k) {
      const cv::Mat plane = planeOf(grid, k), expected = planeOf(output, k);
      cv::resize(plane, resized, expected.size(), 0, 0, cv::INTER_LINEAR);
      if (!cv::checkRange(resized) || !cv::checkRange(expected)) finite = false;
      largest[static_cast<std::size_t>(k)] = cv::norm(expected, cv::NORM_INF);
      difference[static_cast<std::size_t>(k)] = cv::norm(resized, expected, cv::NORM_INF);
    }
  });
  const auto greatest = [](const std::vector<double>& all) {
    return *std::max_element(all.begin(), all.end());
  };
  return classes > 0 && finite && greatest(difference) <= 1e-4 * greatest(largest);
}

}  // namespace mpm::segment
