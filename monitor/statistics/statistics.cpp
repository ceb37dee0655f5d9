// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/statistics.h"

#include <utility>

namespace mpm::monitor {

Statistics::Statistics(Metrics metrics, const SeriesLimits& limits)
    : metrics_(std::move(metrics)),
      distributions_(metrics_.size()),
      series_(metrics_.size(), limits) {}

void Statistics::add(const Figures& figures) {
  series_.add(figures);  // refuses what does not fit, before anything is counted
  const auto light = static_cast<std::size_t>(figures.light);
  ++frames_[light];
  for (std::size_t metric = 0; metric < figures.values.size(); ++metric) {
    Distribution& distribution = distributions_[metric][light];
    distribution.running.add(figures.values[metric]);
    distribution.sketch.add(figures.values[metric]);
  }
}

const Distribution& Statistics::of(std::size_t metric, LightState light) const {
  return distributions_.at(metric)[static_cast<std::size_t>(light)];
}

}  // namespace mpm::monitor
