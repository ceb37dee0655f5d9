// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace mpm::monitor {

/// Room for one thing: the latest wins, and what nobody took is counted. Any threads.
template <typename T>
class Mailbox {
 public:
  /// Never waits for a reader.
  void put(T thing) {
    {
      const std::lock_guard lock(mutex_);
      if (thing_) ++drops_;
      thing_ = std::move(thing);
    }
    came_.notify_one();
  }

  /// Waits up to `patience` for one; nothing where none came, or where it was closed.
  std::optional<T> take(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, patience, [&] { return thing_.has_value() || closed_; });
    return std::exchange(thing_, std::nullopt);
  }

  /// Wakes who waits, now and from now on.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    came_.notify_all();
  }

  std::uint64_t drops() const {
    const std::lock_guard lock(mutex_);
    return drops_;
  }
  bool full() const {
    const std::lock_guard lock(mutex_);
    return thing_.has_value();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable came_;
  std::optional<T> thing_;
  std::uint64_t drops_ = 0;
  bool closed_ = false;
};

}  // namespace mpm::monitor
