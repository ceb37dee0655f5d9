// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "monitor/light/light_state.h"
#include "monitor/statistics/metrics.h"
#include "monitor/statistics/running.h"
#include "monitor/statistics/series.h"
#include "monitor/statistics/sketch.h"

namespace mpm::monitor {

/// Everything that was ever seen of one metric in one light state.
struct Distribution {
  Running running;  ///< exact count, mean, deviation, extremes
  Sketch sketch;    ///< quantiles to 1%
};

/// A source's statistics. Its memory does not grow. Not from two threads at once.
class Statistics {
 public:
  explicit Statistics(Metrics metrics, const SeriesLimits& limits = {})
      : metrics_(std::move(metrics)),
        distributions_(metrics_.size()),
        series_(metrics_.size(), limits) {}

  void add(const Figures& figures) {
    series_.add(figures);  // refuses what does not fit, before anything is counted
    const auto light = static_cast<std::size_t>(figures.light);
    ++frames_[light];
    for (std::size_t metric = 0; metric < figures.values.size(); ++metric) {
      Distribution& distribution = distributions_[metric][light];
      distribution.running.add(figures.values[metric]);
      distribution.sketch.add(figures.values[metric]);
    }
  }

  const Metrics& metrics() const { return metrics_; }
  std::uint64_t frames(LightState light) const { return frames_[static_cast<std::size_t>(light)]; }
  const Distribution& of(std::size_t metric, LightState light) const {
    return distributions_.at(metric)[static_cast<std::size_t>(light)];
  }

  Series& series() { return series_; }
  const Series& series() const { return series_; }

 private:
  Metrics metrics_;
  std::array<std::uint64_t, kLightStates> frames_{};
  std::vector<std::array<Distribution, kLightStates>> distributions_;
  Series series_;
};

}  // namespace mpm::monitor
