// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>

#include "monitor/clock/clock.h"

namespace mpm::monitor {

/// Counts how often a wall clock was set. A clock that is slewed towards the right time stays in
/// its era, however far that goes: each reading is compared with the one before.
class Era {
 public:
  std::int32_t at(std::int64_t steadyMs, std::int64_t utcMs) {
    const std::int64_t offset = utcMs - steadyMs;
    if (known_ && std::llabs(offset - offset_) > kClockStepMs) ++era_;
    known_ = true;
    offset_ = offset;
    return era_;
  }

 private:
  bool known_ = false;
  std::int64_t offset_ = 0;
  std::int32_t era_ = 0;
};

}  // namespace mpm::monitor
