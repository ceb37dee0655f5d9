// SPDX-License-Identifier: Apache-2.0
#include "monitor/clock/clock.h"

#include <sys/timex.h>
#include <time.h>

#include <cstdlib>
#include <mutex>

#include "monitor/clock/era.h"

namespace mpm::monitor {
namespace {

std::int64_t readMs(clockid_t id) {
  timespec time{};
  clock_gettime(id, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1000 + time.tv_nsec / 1000000;
}

class SystemClock : public Clock {
 public:
  Moment now() override {
    const std::lock_guard lock(mutex_);
    Moment moment;
    moment.steadyMs = readMs(CLOCK_BOOTTIME);
    moment.utcMs = readMs(CLOCK_REALTIME);
    moment.era = era_.at(moment.steadyMs, moment.utcMs);
    // Asking takes a system call; once a second is enough.
    if (moment.steadyMs - askedMs_ >= 1000) {
      askedMs_ = moment.steadyMs;
      timex state{};
      synchronised_ = adjtimex(&state) >= 0 && (state.status & STA_UNSYNC) == 0;
    }
    moment.synchronised = synchronised_;
    return moment;
  }

 private:
  std::mutex mutex_;
  Era era_;
  std::int64_t askedMs_ = -1000;
  bool synchronised_ = false;
};

}  // namespace

Clock& systemClock() {
  static SystemClock clock;
  return clock;
}

}  // namespace mpm::monitor
