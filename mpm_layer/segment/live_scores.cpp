// SPDX-License-Identifier: Apache-2.0
#include "segment/live_scores.h"

#include <algorithm>
#include <atomic>
#include <opencv2/imgproc.hpp>
#include <set>
#include <string>

#include "contract/layer_kinds.h"
#include "dnn/host.h"
#include "dnn/net_layer.h"

namespace mpm::segment {
namespace {

using dnn::LayerPtr;

const std::set<std::string> kMoving = {"Concat",  "Flatten", "Gather",    "Identity",
                                       "Reshape", "Resize",  "Shape",     "Slice",
                                       "Split",   "Squeeze", "Transpose", "Unsqueeze"};

// Tells whether a layer is linear without constants: it treats all scores alike.
bool onlyMoves(const LayerPtr& layer) {
  return layer->type == "Identity" || layer->type == typeOf(LayerKind::upsample) ||
         hasOnly(layer, kMoving);
}

// Asks for operators: a trial would take a layer that clips large values for one that adds.
bool mayAdd(const LayerPtr& layer) {
  std::set<std::string> operators = kMoving;
  operators.insert("Add");
  return hasOnly(layer, operators);
}

cv::Mat planeOf(const cv::Mat& blob, int k) {
  return {blob.size[2], blob.size[3], CV_32F, const_cast<float*>(blob.ptr<float>(0, k))};
}

// Returns what was added at each place of a grid, [places x K], from rows [1, places, K] or from
// planes made of them. Returns an empty matrix for anything else.
cv::Mat placesOf(const cv::Mat& added, const cv::Size& grid, int classes) {
  const std::vector<int> shape = dnn::shapeOf(added);
  if (shape == std::vector<int>{1, grid.area(), classes})
    return added.reshape(1, grid.area()).clone();
  if (shape != std::vector<int>{1, classes, grid.height, grid.width} &&
      shape != std::vector<int>{1, classes, grid.area()})
    return {};
  const int dims[] = {classes, grid.area()};
  return cv::Mat(added.reshape(1, 2, dims).t());
}

// Converts rows of scores [1, S + N, K] to planes of a grid [1, K, h, w], dropping the first S.
cv::Mat planesOf(const cv::Mat& rows, const cv::Size& grid) {
  const int classes = rows.size[2], special = rows.size[1] - grid.area();
  const cv::Mat image(grid.area(), classes, CV_32F,
                      const_cast<float*>(rows.ptr<float>(0, special)));
  const int dims[] = {1, classes, grid.height, grid.width};
  return cv::Mat(image.t()).reshape(1, 4, dims);
}

bool isRestore(const LayerPtr& layer) {
  return layer && layer->type == typeOf(LayerKind::mergeRestore);
}

// Returns the input of a restore; std::nullopt if the layer is none, or restores no merge.
std::optional<LiveScores::Part> partBefore(cv::dnn::Net& net, const LayerPtr& layer) {
  if (!isRestore(layer)) return std::nullopt;
  const std::vector<LayerPtr> sources = dnn::sourcesOf(net, *layer);
  if (sources.size() != 2 || !sources[0] || !sources[1]) return std::nullopt;
  // A merge's other outputs have other shapes, so this must be the map.
  if (sources[1]->type != typeOf(LayerKind::mutualPairMerge) &&
      sources[1]->type != typeOf(LayerKind::chain))
    return std::nullopt;
  LiveScores::Part part;
  part.scores = sources[0]->name;
  part.merge = sources[1]->name;
  if (const auto restore = layer.dynamicCast<dnn::NetLayer>()) {
    part.special = restore->number("special", -1);
    part.scoresOutput = static_cast<std::size_t>(restore->number("tokens_output", 0));
    part.mapOutput = static_cast<std::size_t>(restore->number("map_output", 2));
  }
  return part;
}

}  // namespace

bool hasOnly(const LayerPtr& layer, const std::set<std::string>& operators) {
  const auto ours = layer.dynamicCast<dnn::NetLayer>();
  if (!ours || layer->type != typeOf(LayerKind::subgraph)) return false;
  const auto own = ours->operators();
  return std::all_of(own.begin(), own.end(),
                     [&](const auto& each) { return operators.contains(each.first); });
}

std::optional<LiveScores> findLiveScores(cv::dnn::Net& net, const std::string& output) {
  LiveScores live;
  std::vector<LayerPtr> layers = {dnn::layerOf(net, output)};
  while (layers.size() == 1 && layers[0] && !isRestore(layers[0])) {
    const LayerPtr layer = layers[0];
    const bool moves = onlyMoves(layer);
    if (!moves && (live.adds > 0 || !mayAdd(layer))) return std::nullopt;
    live.behind.insert(live.behind.begin(), layer);
    if (live.adds > 0 || !moves) ++live.adds;
    layers = dnn::sourcesOf(net, *layer);
  }
  for (const LayerPtr& layer : layers) {
    const std::optional<LiveScores::Part> part = partBefore(net, layer);
    if (!part) return std::nullopt;
    live.parts.push_back(*part);
  }
  return live.parts.empty() ? std::nullopt : std::optional(std::move(live));
}

std::optional<cv::Mat> offsetsBehind(cv::dnn::Net& net, const LiveScores& live,
                                     const std::vector<int>& restored, const cv::Size& grid) {
  const cv::Mat zero(restored, CV_32F, cv::Scalar(0));
  const std::vector<cv::Mat> zeros(live.parts.size(), zero);
  std::vector<cv::Mat> noise;
  cv::Mat rows = zero.clone();
  cv::RNG random(1);
  for (std::size_t i = 0; i < live.parts.size(); ++i) {
    noise.emplace_back(restored, CV_32F);
    random.fill(noise.back(), cv::RNG::NORMAL, 0, 1);
    rows += noise.back();
  }
  cv::Mat output = dnn::runAlone(net, live.behind, noise).clone(), offsets;
  if (output.empty()) return std::nullopt;
  if (live.adds > 0) {
    const std::vector<LayerPtr> front(live.behind.begin(), live.behind.begin() + live.adds);
    const cv::Mat base = dnn::runAlone(net, live.behind, zeros).clone();
    offsets = placesOf(dnn::runAlone(net, front, zeros), grid, restored[2]);
    const int rowsOfPlaces[] = {1, grid.area(), restored[2]};
    if (offsets.empty() || !isUpsampled(planesOf(offsets.reshape(1, 3, rowsOfPlaces), grid), base))
      return std::nullopt;
    output -= base;
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
