// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "monitor/statistics/series.h"

namespace mpm::monitor {

/// What Tally::add does, where it is done for every metric of every frame four times.
inline void tallyValue(Tally& tally, double value) {
  if (!std::isfinite(value)) return;
  ++tally.count;
  tally.sum += value;
  tally.squares += value * value;
  tally.smallest = std::min(tally.smallest, value);
  tally.largest = std::max(tally.largest, value);
}

}  // namespace mpm::monitor
