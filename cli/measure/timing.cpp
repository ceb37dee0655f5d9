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

StepTimes timesOfLastForward(segment::StepProfile& profile, cv::dnn::Net& net, double frameMs) {
  constexpr std::array<std::size_t, 7> kPlaces = {0, 1, 2, 3, 4, 4, 5};  // of each StepKind
  std::vector<NetworkStep> steps;
  profile.addLastForward(net, frameMs, steps);
  StepTimes ms{};
  for (const NetworkStep& step : steps) ms[kPlaces[static_cast<std::size_t>(step.kind)]] += step.ms;
  return ms;
}

}  // namespace mpm::cli
