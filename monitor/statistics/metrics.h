// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/light/light_state.h"

namespace mpm::monitor {

/// The names of what is measured in every frame of one source, fixed for a run:
///   live_rows                    live rows behind the last merge, special ones included
///   rows.0, rows.1, ...          the same before all merges, behind the first, ...
///   merged_share                 of the image tokens, those that no longer stand for themselves
///   similarity.1, ...            mean best similarity at each merge
///   confidence                   mean
///   area.<class>                 share of the picture, 0 to 1
///   zone.<zone>.area.<class>     share of the zone
///   luma, saturation             of the light meter
///   ms.prepare, ms.network, ms.labels, frame_age_ms
///   drops, reconnects            since the frame before: their sums are counts
/// In <class> and <zone> every character but letters (also those beyond ASCII), digits, '_' and '-'
/// is '_'.
class Metrics {
 public:
  Metrics() = default;
  explicit Metrics(std::vector<std::string> names);  ///< std::invalid_argument on a repeated one

  const std::vector<std::string>& names() const { return names_; }
  std::size_t size() const { return names_.size(); }
  std::optional<std::size_t> find(std::string_view name) const;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// A class's or zone's name as it stands in a metric's.
std::string metricPart(std::string_view name);

/// What was measured in one frame.
struct Figures {
  Moment taken;
  LightState light = LightState::transition;
  std::vector<double> values;  ///< one for each of Metrics; NaN where it is not known
};

}  // namespace mpm::monitor
