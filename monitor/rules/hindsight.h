// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "monitor/rules/rules.h"
#include "monitor/statistics/statistics.h"

namespace mpm::monitor {

/// Sums up what a rule would have done with what was seen.
struct Hindsight {
  int began = 0;                          ///< how often it would have begun to hold
  std::int64_t heldMs = 0;                ///< in all, without what nobody saw
  std::optional<std::int64_t> lastUtcMs;  ///< when it would have begun last
  std::int64_t seenMs = 0;                ///< how much time tells, with its metric known
};

/// Replays one run after the other, each its seconds in their order, with these metrics: every run
/// begins with a rule that does not hold, as the engine does. What is known of a second are its
/// mean, least and most, not each frame: a rule that has to hold for less than a second is judged
/// by the value of the second that is farthest on its side, the others by means. Counts of tokens,
/// which not every second has, stay until the next. In a second that has no frames in any light
/// rules waited. Time between two seconds counts as seen unless the source was away or they are
/// much farther apart than usual. `silentMs`: for how long no frame has come since, where the last
/// run still goes on. Throws as checkRules does.
Hindsight hindsightOf(const Rule& rule, const Metrics& metrics,
                      const std::vector<std::vector<Bucket>>& runs, std::int64_t silentMs = 0);

}  // namespace mpm::monitor
