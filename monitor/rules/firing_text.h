// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "monitor/rules/rules.h"

namespace mpm::monitor {

/// A value with as few digits, four at least, as show on which side of `level` it lies.
std::string valueText(double value, double level);

/// What a rule saw when it began or ended.
struct Sight {
  double value = 0;  ///< of its metric; NaN: not known
  LightState light = LightState::transition;
  std::int64_t heldMs = 0;    ///< began: how long it has held; ended: how long since it began
  std::int64_t silentMs = 0;  ///< of a stale rule
};

/// One sentence for people, with the value, what it is compared with, and for how long.
std::string beganText(const Rule& rule, const Sight& sight);
std::string endedText(const Rule& rule, const Sight& sight);
/// Of one that held to the end.
std::string unwatchedText(const Rule& rule, std::int64_t heldMs);

}  // namespace mpm::monitor
