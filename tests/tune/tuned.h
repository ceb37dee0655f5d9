// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "mpm/tune.h"

namespace mpm::test {

/// A schedule that was measured closely and surely: full tokens take 100 ms.
inline TunedSchedule tuned(Schedule schedule, double ratio, double agreement) {
  TunedSchedule one;
  one.schedule = std::move(schedule);
  one.ratio = one.ratioHigh = ratio;
  one.ms = 100 * ratio;
  one.agreement = agreement;
  return one;
}

inline TunedSchedule lookedAt(Schedule schedule, double ratio, double agreement) {
  TunedSchedule one = tuned(std::move(schedule), ratio, agreement);
  one.close = false;
  return one;
}

}  // namespace mpm::test
