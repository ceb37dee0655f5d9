// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gui/plot/trace.h"
#include "monitor/light/light_state.h"

namespace mpm::gui {

struct LightSpan {
  std::int64_t fromUtcMs = 0, toUtcMs = 0;
  monitor::LightState light = monitor::LightState::transition;
};

/// Neighbouring buckets of the same state together; gaps between buckets stay gaps.
std::vector<LightSpan> lightSpans(const std::vector<PlotBucket>& buckets, std::int64_t lengthMs);

/// How much of each column was spent in each state: shares that sum to at most 1. Where a day is
/// only a few columns wide, of the week around it: stripes that fine would hide how nights grow.
using LightShares = std::array<float, monitor::kLightStates>;
std::vector<LightShares> lightByColumn(const std::vector<LightSpan>& spans, const TimeScale& scale);

}  // namespace mpm::gui
