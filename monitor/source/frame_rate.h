// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>

namespace mpm::monitor {

/// Frames per second over the last seconds.
class FrameRate {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void note(Time time) {
    times_.push_back(time);
    while (times_.size() > kMost || times_.back() - times_.front() > kWindow) times_.pop_front();
  }
  double at(Time now) const {
    if (times_.size() < 2 || now - times_.back() > kWindow) return 0;
    // Once the next one is late, the rate falls: up to then the newest stands for now.
    const auto apart = (times_.back() - times_.front()) / static_cast<long>(times_.size() - 1);
    const Time end = now - times_.back() > 2 * apart ? now : times_.back();
    const double seconds = std::chrono::duration<double>(end - times_.front()).count();
    return seconds > 0 ? static_cast<double>(times_.size() - 1) / seconds : 0;
  }
  void clear() { times_.clear(); }

 private:
  static constexpr std::chrono::seconds kWindow{5};
  static constexpr std::size_t kMost = 1024;
  std::deque<Time> times_;
};

}  // namespace mpm::monitor
