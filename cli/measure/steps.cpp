// SPDX-License-Identifier: Apache-2.0
#include "cli/measure/steps.h"

#include <algorithm>
#include <opencv2/core/utility.hpp>

namespace mpm::cli {
namespace {

// `inHead`: whether the encoder is over.
Step stepOf(const std::string& type, bool inHead) {
  if (type == "mpm.PatchEmbed") return Step::patchEmbed;
  if (type == "mpm.MutualPairMerge") return Step::merges;
  if (type == "mpm.MergeRestore" || type == "mpm.MeanRows") return Step::restore;
  if (type == "mpm.TransformerBlock" && !inHead) return Step::blocks;
  return type.starts_with("mpm.") ? Step::head : Step::rest;
}

// Layers come in the order of the graph, and a decoder's blocks behind its own special rows. A
// Normalize in front of the first block (CLIP's) counts as the head, too small to tell apart.
bool endsEncoder(const std::string& type) {
  return type == "mpm.ReplaceSpecial" || type == "mpm.MaskDecoderHead";
}

}  // namespace

const char* nameOf(Step step) {
  constexpr const char* kNames[kSteps] = {"patch_embed", "blocks", "merges",
                                          "restore",     "head",   "rest"};
  return kNames[static_cast<std::size_t>(step)];
}

Steps::Steps(cv::dnn::Net& net) {
  bool inHead = false;
  for (const cv::String& name : net.getLayerNames()) {
    const std::string type = net.getLayer(name)->type;
    inHead = inHead || endsEncoder(type);
    steps_.push_back(stepOf(type, inHead));
  }
}

StepTimes Steps::ofLastForward(cv::dnn::Net& net, double frameMs) const {
  std::vector<double> ticks;
  net.getPerfProfile(ticks);
  StepTimes ms{};
  double inLayers = 0;
  for (std::size_t layer = 0; layer < std::min(ticks.size(), steps_.size()); ++layer) {
    const double layerMs = ticks[layer] * 1000 / cv::getTickFrequency();
    ms[static_cast<std::size_t>(steps_[layer])] += layerMs;
    inLayers += layerMs;
  }
  ms[static_cast<std::size_t>(Step::rest)] += std::max(0.0, frameMs - inLayers);
  return ms;
}

}  // namespace mpm::cli
