// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

namespace mpm::monitor {

/// Time of a record: the wall clock's, the steady clock's, and whether to believe the first.

struct Moment {
  std::int64_t steadyMs = 0;  ///< since the machine's start, sleep included: never set, never back
  std::int64_t utcMs = 0;     ///< since 1970: what the wall clock says
  std::int32_t era = 0;       ///< one more whenever the wall clock was set by more than
                              ///< kClockStepMs: moments of one era are in order by `utcMs`
  bool synchronised = true;   ///< whether the system says that its wall clock follows a source
};

constexpr std::int64_t kClockStepMs = 1000;

/// Counts how often a wall clock was set. A clock that is slewed towards the right time stays in
/// its era, however far it goes: each reading is compared with the one before.
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

/// Can be used from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Moment now() = 0;
};

/// Returns the machine's clocks, one object for the whole process.
Clock& systemClock();

/// Returns "2026-11-21T01:46:25.123Z"; empty outside the years 0 to 9999 of ISO 8601.
std::string isoUtc(std::int64_t utcMs);

/// Returns "20261121T014625.123Z", the same for a file name. Other years give "T" and the
/// milliseconds.
std::string isoUtcCompact(std::int64_t utcMs);

/// Something that happened: a rule, a light change, a lost or moved camera, a set clock.
struct Event {
  Moment at;
  std::string kind;  ///< "rule", "command", "light", "source", "camera", "model", "clock",
                     ///< "record", "schedule", "filter", "memory", "view"
  std::string name;  ///< of the rule, the state, ...
  std::string text;  ///< one sentence for people
  std::optional<double> value;
};

}  // namespace mpm::monitor
