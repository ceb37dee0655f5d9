// SPDX-License-Identifier: Apache-2.0
#include "monitor/clock/clock.h"

#include <sys/timex.h>
#include <time.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <mutex>

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
    // Asks once a second, since it takes a system call.
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

constexpr std::int64_t kFirstMs = -62167219200000, kEndMs = 253402300800000;  // years 0 and 10000

std::string format(std::int64_t utcMs, const char* pattern) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(utcMs)};
  const auto midnight = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(midnight);
  const auto ms = static_cast<int>((time - midnight).count());
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), pattern, static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                ms / 3600000, ms / 60000 % 60, ms / 1000 % 60, ms % 1000);
  return text.data();
}

}  // namespace

Clock& systemClock() {
  static SystemClock clock;
  return clock;
}

std::string isoUtc(std::int64_t utcMs) {
  if (utcMs < kFirstMs || utcMs >= kEndMs) return {};
  return format(utcMs, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ");
}

std::string isoUtcCompact(std::int64_t utcMs) {
  if (utcMs < kFirstMs || utcMs >= kEndMs) return "T" + std::to_string(utcMs);
  return format(utcMs, "%04d%02u%02uT%02d%02d%02d.%03dZ");
}

}  // namespace mpm::monitor
