// SPDX-License-Identifier: Apache-2.0
#include "cli/measure/steps.h"

#include <vector>

namespace mpm::cli {
namespace {

Step stepOf(NetworkStep::Kind kind) {
  switch (kind) {
    case NetworkStep::Kind::embedding:
      return Step::patchEmbed;
    case NetworkStep::Kind::block:
      return Step::blocks;
    case NetworkStep::Kind::merge:
      return Step::merges;
    case NetworkStep::Kind::restore:
      return Step::restore;
    case NetworkStep::Kind::decoder:
    case NetworkStep::Kind::head:
      return Step::head;
    case NetworkStep::Kind::rest:
      break;
  }
  return Step::rest;
}

}  // namespace

const char* nameOf(Step step) {
  constexpr const char* kNames[kSteps] = {"patch_embed", "blocks", "merges",
                                          "restore",     "head",   "rest"};
  return kNames[static_cast<std::size_t>(step)];
}

Steps::Steps(cv::dnn::Net& net) : profile_(net) {}

StepTimes Steps::ofLastForward(cv::dnn::Net& net, double frameMs) const {
  std::vector<NetworkStep> steps;
  profile_.addLastForward(net, frameMs, steps);
  StepTimes ms{};
  for (const NetworkStep& step : steps) ms[static_cast<std::size_t>(stepOf(step.kind))] += step.ms;
  return ms;
}

}  // namespace mpm::cli
