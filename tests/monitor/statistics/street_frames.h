// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "monitor/statistics/metrics.h"

namespace mpm::test {

/// Frames of a source whose wall clock is set and slewed, with gaps: random figures, some unknown.
class StreetFrames {
 public:
  StreetFrames(std::uint64_t seed, std::size_t metrics) : random_(seed) {
    frame_.values.resize(metrics);
    frame_.taken.utcMs = 1711846795123;  // 31 March 2024, 00:59:55: where summer time begins
  }

  const monitor::Figures& next() {
    auto& taken = frame_.taken;
    const std::int64_t passed = between(20, 120);
    taken.steadyMs += passed;
    taken.utcMs += passed;
    switch (between(0, 2000)) {
      case 0:
        return set(3600000);
      case 1:
        return set(-3600000);
      case 2:
        return set(between(-200000000, 200000000));
      case 3:
      case 4:
      case 5:
        taken.utcMs -= 900;
        break;  // slewed: still its era
      case 6:
        taken.utcMs += 900;
        break;
      case 7:
      case 8:
        gap(between(1000, 200000));
        break;
      case 9:
        gap(between(3600000, 300000000));
        break;
      default:
        break;
    }
    return drawn();
  }

 private:
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return std::uniform_int_distribution<std::int64_t>(first, last)(random_);
  }
  const monitor::Figures& set(std::int64_t ms) {
    frame_.taken.utcMs += ms;
    ++frame_.taken.era;
    return drawn();
  }
  void gap(std::int64_t ms) {
    frame_.taken.steadyMs += ms;
    frame_.taken.utcMs += ms;
  }
  const monitor::Figures& drawn() {
    if (between(0, 50) == 0) light_ = between(0, monitor::kLightStates - 1);
    frame_.light = monitor::kAllLightStates[static_cast<std::size_t>(light_)];
    for (double& value : frame_.values) {
      value = between(0, 19) == 0 ? std::numeric_limits<double>::quiet_NaN()
                                  : std::normal_distribution<>(0.1, 3)(random_);
    }
    return frame_;
  }

  std::mt19937_64 random_;
  monitor::Figures frame_;
  std::int64_t light_ = 0;
};

}  // namespace mpm::test
