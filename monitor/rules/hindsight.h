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

/// Replays runs one after the other, each second by second, with these metrics. A run begins with a
/// rule that does not hold, as in the engine. A second has a mean, a minimum and a maximum, not
/// each frame. A rule with a dwell time below a second is judged by the value farthest on its side,
/// others by means. Counts of tokens, which some seconds lack, last until the next. Rules waited in
/// a second without frames in any light. Time between two seconds counts as seen, unless the source
/// was away or the gap is much longer than usual. `silentMs` is the time since the last frame, if
/// the last run still goes on. Throws as checkRules does.
Hindsight hindsightOf(const Rule& rule, const Metrics& metrics,
                      const std::vector<std::vector<Bucket>>& runs, std::int64_t silentMs = 0);

}  // namespace mpm::monitor
