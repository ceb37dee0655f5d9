// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace mpm::monitor {

/// When a disk will be full, at the pace of the last day, or since the start where that is less.
class Forecast {
 public:
  static constexpr std::int64_t kEveryMs = 600000;      ///< one sample is kept in ten minutes
  static constexpr std::int64_t kEarliestMs = 3600000;  ///< less says nothing

  void add(std::int64_t steadyMs, std::int64_t bytes) {
    newest_ = {steadyMs, bytes};
    if (kept_.empty() || steadyMs - kept_.back().steadyMs >= kEveryMs) kept_.push_back(newest_);
    // The first one that stays is the newest of those that are a day old.
    while (kept_.size() > 1 && steadyMs - kept_[1].steadyMs >= kDayMs) kept_.pop_front();
  }

  /// Nothing: too early, it does not grow, or `mostBytes` (0: none) ends its growth before.
  std::optional<double> daysToFull(std::int64_t freeBytes, std::int64_t mostBytes) const {
    if (kept_.empty()) return {};
    const std::int64_t pastMs = newest_.steadyMs - kept_.front().steadyMs;
    const std::int64_t grown = newest_.bytes - kept_.front().bytes;
    if (pastMs < kEarliestMs || grown <= 0) return {};
    if (mostBytes > 0 && mostBytes - newest_.bytes < freeBytes) return {};
    const double perDay = static_cast<double>(grown) / static_cast<double>(pastMs) * kDayMs;
    return static_cast<double>(freeBytes) / perDay;
  }

 private:
  static constexpr std::int64_t kDayMs = 86400000;
  struct Sample {
    std::int64_t steadyMs, bytes;
  };
  std::deque<Sample> kept_;
  Sample newest_{0, 0};
};

}  // namespace mpm::monitor
