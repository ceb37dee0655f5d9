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

  void add(std::int64_t steadyMs, std::int64_t bytes);

  /// Nothing: too early, it does not grow, or `mostBytes` (0: none) ends its growth before.
  std::optional<double> daysToFull(std::int64_t freeBytes, std::int64_t mostBytes) const;

 private:
  struct Sample {
    std::int64_t steadyMs, bytes;
  };
  std::deque<Sample> kept_;
  Sample newest_{0, 0};
};

}  // namespace mpm::monitor
