// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "monitor/clock/clock.h"

namespace mpm::monitor {

/// A clock that stands still until it is told otherwise. From any thread.
class ManualClock : public Clock {
 public:
  explicit ManualClock(std::int64_t utcMs = 0) { now_.utcMs = utcMs; }

  Moment now() override {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  /// Both clocks; `ms` >= 0.
  void advance(std::int64_t ms) {
    const std::lock_guard lock(mutex_);
    now_.steadyMs += ms;
    now_.utcMs += ms;
  }
  /// As an operator or NTP does: the era grows at a step.
  void setUtc(std::int64_t utcMs) {
    const std::lock_guard lock(mutex_);
    if (std::llabs(utcMs - now_.utcMs) > kClockStepMs) ++now_.era;
    now_.utcMs = utcMs;
  }
  void setSynchronised(bool synchronised) {
    const std::lock_guard lock(mutex_);
    now_.synchronised = synchronised;
  }

 private:
  std::mutex mutex_;
  Moment now_;
};

/// One that counts how often other threads than its own look at it.
class CountingClock : public ManualClock {
 public:
  using ManualClock::ManualClock;

  Moment now() override {
    if (std::this_thread::get_id() != own_) ++looks_;
    return ManualClock::now();
  }
  int looks() const { return looks_; }

 private:
  const std::thread::id own_ = std::this_thread::get_id();
  std::atomic<int> looks_{0};
};

}  // namespace mpm::monitor
