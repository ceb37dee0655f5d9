// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "gui/app/rule_past.h"
#include "monitor/engine/engine.h"

namespace mpm::gui {

/// For how long no frame has come behind the last run, where that is the engine's: others ended.
inline std::optional<std::int64_t> silenceNow(const RulePast& past, const monitor::Engine& engine,
                                              std::size_t source) {
  if (past.runs.empty() || past.runs.back().empty()) return {};
  const monitor::Bucket& last = past.runs.back().back();
  bool isOwn = false;
  engine.readStatistics(source, [&](const monitor::Statistics& statistics) {
    const auto& own = statistics.series().buckets(monitor::Resolution::second);
    isOwn = std::any_of(own.begin(), own.end(), [&](const monitor::Bucket& second) {
      return second.era == last.era && second.startUtcMs == last.startUtcMs;
    });
  });
  const monitor::CaptureStatus status = engine.capture(source);
  if (!isOwn || status.state == monitor::CaptureState::ended) return {};
  return std::max<std::int64_t>(status.msSinceFrame, 0);
}

}  // namespace mpm::gui
