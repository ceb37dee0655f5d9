// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "monitor/clock/clock.h"
#include "mpm/schedule.h"

namespace mpm::monitor {

/// In which frames of a camera with a memory tokens are counted, which takes a full one: of each
/// schedule the first, then one whenever so many frames or so much time have passed. Full frames
/// that a memory takes for reasons of its own do not count: they come where much moves, and the
/// figures of a night would be those of its busiest hours.
class TokenCount {
 public:
  static constexpr int kFrames = 64;
  static constexpr std::int64_t kMs = 60000;

  /// Asked once for each frame.
  bool isDue(const Moment& taken, const Schedule& schedule) {
    ++frames_;
    const bool isOther = !countedMs_ || schedule != schedule_;
    if (!isOther && frames_ < kFrames && std::llabs(taken.steadyMs - *countedMs_) < kMs)
      return false;
    schedule_ = schedule;
    countedMs_ = taken.steadyMs;
    frames_ = 0;
    return true;
  }

 private:
  Schedule schedule_;
  std::optional<std::int64_t> countedMs_;
  int frames_ = 0;  // since then
};

}  // namespace mpm::monitor
