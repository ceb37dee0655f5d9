// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace mpm::monitor {

/// Lets threads compute alternately, in the order in which they ask, since one net uses all
/// processors. A lock, as std::lock_guard takes it; unlike a std::mutex it is fair.
class Turns {
 public:
  void lock() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, mine = asked_++] { return mine == now_; });
  }
  void unlock() {
    {
      const std::lock_guard lock(mutex_);
      ++now_;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0, now_ = 0;
};

}  // namespace mpm::monitor
