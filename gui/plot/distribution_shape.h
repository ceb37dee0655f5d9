// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "monitor/light/light_state.h"
#include "monitor/statistics/sketch.h"

namespace mpm::gui {

/// What is drawn of many values in one light state. Plain data: it may be made in any thread.
struct DistributionShape {
  struct Point {
    double value = 0;
    double density = 0;  ///< 1 at the highest
  };
  monitor::LightState light = monitor::LightState::transition;
  std::uint64_t count = 0;
  double low = 0, median = 0, high = 0;  ///< 5%, 50% and 95% of the values do not exceed it
  /// From 0.5% to 99.5% of the values, rising; empty where there are fewer than kFewValues, or all
  /// are the same.
  std::vector<Point> outline;
};

constexpr std::uint64_t kFewValues = 8;

/// Nothing of no values. Values that are not finite do not count.
std::optional<DistributionShape> shapeOf(monitor::LightState light, const monitor::Sketch& sketch);
std::optional<DistributionShape> shapeOf(monitor::LightState light, std::vector<double> values);

}  // namespace mpm::gui
