// SPDX-License-Identifier: Apache-2.0
#include "segment/step_profile.h"

#include <algorithm>
#include <cstdint>
#include <opencv2/core/utility.hpp>

#include "dnn/mutual_pair_merge_layer.h"

namespace mpm::segment {
namespace {

using Kind = NetworkStep::Kind;

// Layers come in the order of the graph, and a decoder's blocks behind its own special rows. A
// Normalize in front of the first block (CLIP's) counts as the head, too small to tell apart.
Kind kindOf(const std::string& type, bool inDecoder) {
  if (type == "mpm.PatchEmbed") return Kind::embedding;
  if (type == "mpm.MutualPairMerge") return Kind::merge;
  if (type == "mpm.MergeRestore" || type == "mpm.MeanRows") return Kind::restore;
  if (type == "mpm.ReplaceSpecial") return Kind::decoder;
  if (type == "mpm.TransformerBlock") return inDecoder ? Kind::decoder : Kind::block;
  return type.rfind("mpm.", 0) == 0 ? Kind::head : Kind::rest;
}

}  // namespace

StepProfile::StepProfile(cv::dnn::Net& net, const std::string& last) {
  bool inDecoder = false;
  int blocks = 0;
  constexpr std::size_t kRest = SIZE_MAX;
  for (const cv::String& name : net.getLayerNames()) {
    const cv::Ptr<cv::dnn::Layer> layer = net.getLayer(name);
    inDecoder = inDecoder || layer->type == "mpm.ReplaceSpecial";
    NetworkStep step{kindOf(layer->type, inDecoder), -1, 0};
    if (step.kind == Kind::block) step.block = blocks++;
    if (step.kind == Kind::merge) {
      const auto merge = layer.dynamicCast<dnn::MutualPairMergeLayer>();
      step.block = merge && merge->beforeBlock() >= 0 ? merge->beforeBlock() : blocks;
    }
    const auto same = [&](const NetworkStep& other) {
      return other.kind == step.kind && other.block == step.block;
    };
    const auto there = std::find_if(steps_.begin(), steps_.end(), same);
    stepOf_.push_back(step.kind == Kind::rest ? kRest
                                              : static_cast<std::size_t>(there - steps_.begin()));
    if (step.kind != Kind::rest && there == steps_.end()) steps_.push_back(step);
    if (name == last) break;
  }
  std::replace(stepOf_.begin(), stepOf_.end(), kRest, steps_.size());
  steps_.emplace_back();
}

void StepProfile::addLastForward(cv::dnn::Net& net, double forwardMs,
                                 std::vector<NetworkStep>& steps) const {
  if (steps.empty()) steps = steps_;
  std::vector<double> ticks;
  net.getPerfProfile(ticks);
  const double msOfTick = 1000 / cv::getTickFrequency();
  double toldMs = 0;
  for (std::size_t layer = 0; layer < std::min(ticks.size(), stepOf_.size()); ++layer) {
    const double ms = ticks[layer] * msOfTick;
    steps[stepOf_[layer]].ms += ms;
    toldMs += ms;
  }
  steps.back().ms += std::max(0.0, forwardMs - toldMs);
}

}  // namespace mpm::segment
