// SPDX-License-Identifier: Apache-2.0
#include "segment/forward_watch.h"

#include <algorithm>
#include <cstdint>
#include <opencv2/core/utility.hpp>
#include <optional>
#include <string>
#include <utility>

#include "dnn/mutual_pair_merge_layer.h"

namespace mpm::segment {
namespace {

using Kind = NetworkStep::Kind;

template <class T>
cv::Mat onGrid(const std::vector<T>& values, const cv::Size& grid) {
  return cv::Mat(grid, cv::DataType<T>::type, const_cast<T*>(values.data())).clone();
}

// Assigns layers to blocks of the encoder, in the net's order. A block begins with its merge, or
// with the next attention. If its attention is a separate layer, so are its norms and linear
// layers. After the last merge a block has as many of these as the one before; the rest is the
// head's. Those between fused blocks are the head's, which looks at their rows.
class BlockOfLayer {
 public:
  // Takes the kinds of all layers, in order.
  explicit BlockOfLayer(const std::vector<std::optional<LayerKind>>& kinds) {
    for (const auto& kind : kinds) {
      if (kind == LayerKind::mutualPairMerge) isInLayers_.push_back(false);
      if (kind == LayerKind::attention && !isInLayers_.empty()) isInLayers_.back() = true;
    }
  }

  int ofMerge() {  // the block behind it
    begin();
    ++merges_;
    return block_;
  }
  int ofAttention() {  // or of a whole block
    begin();
    hasAttention_ = true;
    return block_;
  }
  int ofAddedRows() const { return block_; }
  std::optional<int> ofRows() {
    if (merges_ == 0 || !isInLayers_[merges_ - 1]) return std::nullopt;
    if (merges_ == isInLayers_.size() && own_ >= before_) return std::nullopt;
    ++own_;
    return block_;
  }

 private:
  void begin() {
    if (!hasAttention_) return;
    ++block_;
    hasAttention_ = false;
    before_ = std::exchange(own_, 0);
  }

  std::vector<bool> isInLayers_;          // what stands behind each merge
  std::size_t merges_ = 0;                // so far
  int block_ = 0, own_ = 0, before_ = 0;  // norms and linear layers, of this block and the last one
  bool hasAttention_ = false;
};

}  // namespace

// Relies on layers in the order of the graph, and a decoder's blocks after its own special rows. A
// Normalize in front of the first block (CLIP's) counts as the head, too small to matter.
void StepProfile::learn(cv::dnn::Net& net) {
  std::vector<const cv::dnn::Layer*> layers;
  for (const cv::String& name : net.getLayerNames()) {
    const cv::Ptr<cv::dnn::Layer> layer = net.getLayer(name);
    ours_.push_back(layer.dynamicCast<dnn::NetLayer>());
    const auto members = ours_.back() ? ours_.back()->members() : std::vector<dnn::NetLayer*>();
    layers.insert(layers.end(), members.begin(), members.end());
    if (members.empty()) layers.push_back(layer.get());
    if (name == last_) break;
  }
  std::vector<std::optional<LayerKind>> kinds;
  for (const cv::dnn::Layer* layer : layers) kinds.push_back(kindOf(layer->type));
  BlockOfLayer blockOf(kinds);
  bool inDecoder = false;
  constexpr std::size_t kRest = SIZE_MAX;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::optional<LayerKind> kind = kinds[i];
    NetworkStep step{kind ? infoOf(*kind).step : Kind::rest, -1, 0};
    inDecoder = inDecoder || step.kind == Kind::decoder;
    if (inDecoder && step.kind == Kind::block) step.kind = Kind::decoder;
    if (step.kind == Kind::block)
      step.block = *kind == LayerKind::addRows ? blockOf.ofAddedRows() : blockOf.ofAttention();
    if (!inDecoder && (kind == LayerKind::normalize || kind == LayerKind::linear)) {
      const std::optional<int> block = blockOf.ofRows();
      if (block) step = {Kind::block, *block, 0};
    }
    if (step.kind == Kind::merge) {
      const auto* merge = dynamic_cast<const dnn::MutualPairMergeLayer*>(layers[i]);
      const int block = blockOf.ofMerge();
      step.block = merge != nullptr && merge->beforeBlock() >= 0 ? merge->beforeBlock() : block;
    }
    const auto same = [&](const NetworkStep& other) {
      return other.kind == step.kind && other.block == step.block;
    };
    const auto there = std::find_if(steps_.begin(), steps_.end(), same);
    stepOf_.push_back(step.kind == Kind::rest ? kRest
                                              : static_cast<std::size_t>(there - steps_.begin()));
    if (step.kind != Kind::rest && there == steps_.end()) steps_.push_back(step);
  }
  std::replace(stepOf_.begin(), stepOf_.end(), kRest, steps_.size());
  steps_.emplace_back();
}

void StepProfile::addLastForward(cv::dnn::Net& net, double forwardMs,
                                 std::vector<NetworkStep>& steps) {
  if (steps_.empty()) learn(net);  // OpenCV 5 joins layers at the first forward
  if (steps.empty()) steps = steps_;
  std::vector<double> ofNet, ticks;
  net.getPerfProfile(ofNet);
  for (std::size_t layer = 0; layer < std::min(ofNet.size(), ours_.size()); ++layer) {
    const auto ofMembers = ours_[layer] ? ours_[layer]->memberTicks() : std::vector<double>();
    ticks.insert(ticks.end(), ofMembers.begin(), ofMembers.end());
    if (ofMembers.empty()) ticks.push_back(ofNet[layer]);
  }
  const double msOfTick = 1000 / cv::getTickFrequency();
  double toldMs = 0;
  for (std::size_t layer = 0; layer < std::min(ticks.size(), stepOf_.size()); ++layer) {
    const double ms = ticks[layer] * msOfTick;
    steps[stepOf_[layer]].ms += ms;
    toldMs += ms;
  }
  steps.back().ms += std::max(0.0, forwardMs - toldMs);
}

MergeWatch::MergeWatch(cv::dnn::Net& net) : merges_(dnn::mergesOf(net)) {}

void MergeWatch::start() {
  for (auto* merge : merges_) merge->setTracing(true);
}

std::vector<MergeStage> MergeWatch::stop(const cv::Size& grid) {
  std::vector<MergeStage> stages;
  for (auto* merge : merges_) {
    const dnn::MergeTrace& trace = merge->trace();
    if (!trace.map.empty() && trace.map.size() == static_cast<std::size_t>(grid.area())) {
      stages.push_back({onGrid(trace.map, grid), onGrid(trace.similarity, grid)});
    }
    merge->setTracing(false);
  }
  return stages;
}

}  // namespace mpm::segment
