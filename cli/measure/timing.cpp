// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "cli/measure/timing.h"
#include "tune/median.h"

namespace mpm::cli {

std::vector<std::vector<double>> measureInRounds(std::size_t things, const RoundCount& rounds,
                                                 const std::function<double(std::size_t)>& runMs,
                                                 const std::function<void(double)>& onProgress) {
  std::vector<std::vector<double>> ms(things);
  double spentMs = 0;
  const auto share = [&](int done) {
    if (rounds.wanted > 0) return static_cast<double>(done) / rounds.wanted;
    return std::max(std::min(spentMs / rounds.budgetMs, static_cast<double>(done) / rounds.least),
                    static_cast<double>(done) / rounds.most);
  };
  for (int round = 0; share(round) < 1; ++round) {
    for (std::size_t thing = 0; thing < things; ++thing) {
      ms[thing].push_back(runMs(thing));
      spentMs += ms[thing].back();
    }
    onProgress(std::min(share(round + 1), 1.0));
  }
  return ms;
}

Times summarise(const std::vector<double>& ms, const std::vector<double>& referenceMs) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < std::min(ms.size(), referenceMs.size()); ++round)
    ratios.push_back(ms[round] / referenceMs[round]);
  return {tune::median(ms), tune::quantile(ms, 0.95), tune::quantile(ms, 1), tune::median(ratios)};
}

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
