// SPDX-License-Identifier: Apache-2.0
#include "monitor/clock/manual_clock.h"

#include <cstdlib>

namespace mpm::monitor {

ManualClock::ManualClock(std::int64_t utcMs) { now_.utcMs = utcMs; }

Moment ManualClock::now() {
  const std::lock_guard lock(mutex_);
  return now_;
}

void ManualClock::advance(std::int64_t ms) {
  const std::lock_guard lock(mutex_);
  now_.steadyMs += ms;
  now_.utcMs += ms;
}

void ManualClock::setUtc(std::int64_t utcMs) {
  const std::lock_guard lock(mutex_);
  if (std::llabs(utcMs - now_.utcMs) > kClockStepMs) ++now_.era;
  now_.utcMs = utcMs;
}

void ManualClock::setSynchronised(bool synchronised) {
  const std::lock_guard lock(mutex_);
  now_.synchronised = synchronised;
}

}  // namespace mpm::monitor
