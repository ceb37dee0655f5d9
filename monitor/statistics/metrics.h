// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/light/light_state.h"
#include "monitor/statistics/metric_name.h"

namespace mpm::monitor {

/// What is measured in every frame of one source, fixed for a run.
class Metrics {
 public:
  Metrics() = default;
  /// std::invalid_argument on a repeated one.
  explicit Metrics(std::span<const MetricName> parsed);
  explicit Metrics(std::vector<std::string> names);

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<MetricName>& parsed() const { return parsed_; }  ///< the same, taken apart
  std::size_t size() const { return names_.size(); }
  std::optional<std::size_t> find(std::string_view name) const;

 private:
  void placeNames();

  std::vector<MetricName> parsed_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// What was measured in one frame.
struct Figures {
  Moment taken;
  LightState light = LightState::transition;
  std::vector<double> values;  ///< one for each of Metrics; NaN where it is not known
};

}  // namespace mpm::monitor
