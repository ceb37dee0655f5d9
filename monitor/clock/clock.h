// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Time as a record needs it: what the wall clock says, what it really was, and whether to believe
/// the first.
namespace mpm::monitor {

struct Moment {
  std::int64_t steadyMs = 0;  ///< since the machine's start, sleep included: never set, never back
  std::int64_t utcMs = 0;     ///< since 1970: what the wall clock says
  std::int32_t era = 0;       ///< one more whenever the wall clock was set by more than
                              ///< kClockStepMs: moments of one era are in order by `utcMs`
  bool synchronised = true;   ///< whether the system says that its wall clock follows a source
};

constexpr std::int64_t kClockStepMs = 1000;

/// From any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Moment now() = 0;
};

/// The machine's clocks, one object for the whole process.
Clock& systemClock();

}  // namespace mpm::monitor
