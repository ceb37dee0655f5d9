// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>

#include "monitor/clock/clock.h"

namespace mpm::monitor {

/// A clock that stands still until it is told otherwise: for replays and tests.
class ManualClock : public Clock {
 public:
  explicit ManualClock(std::int64_t utcMs = 0);

  Moment now() override;
  void advance(std::int64_t ms);    ///< both clocks; `ms` >= 0
  void setUtc(std::int64_t utcMs);  ///< as an operator or NTP does: the era grows at a step
  void setSynchronised(bool synchronised);

 private:
  std::mutex mutex_;
  Moment now_;
};

}  // namespace mpm::monitor
