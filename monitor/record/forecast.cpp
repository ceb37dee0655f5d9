// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/forecast.h"

namespace mpm::monitor {
namespace {

constexpr std::int64_t kDayMs = 86400000;

}  // namespace

void Forecast::add(std::int64_t steadyMs, std::int64_t bytes) {
  newest_ = {steadyMs, bytes};
  if (kept_.empty() || steadyMs - kept_.back().steadyMs >= kEveryMs) kept_.push_back(newest_);
  // The first one that stays is the newest of those that are a day old.
  while (kept_.size() > 1 && steadyMs - kept_[1].steadyMs >= kDayMs) kept_.pop_front();
}

std::optional<double> Forecast::daysToFull(std::int64_t freeBytes, std::int64_t mostBytes) const {
  if (kept_.empty()) return {};
  const std::int64_t pastMs = newest_.steadyMs - kept_.front().steadyMs;
  const std::int64_t grown = newest_.bytes - kept_.front().bytes;
  if (pastMs < kEarliestMs || grown <= 0) return {};
  if (mostBytes > 0 && mostBytes - newest_.bytes < freeBytes) return {};
  const double perDay = static_cast<double>(grown) / static_cast<double>(pastMs) * kDayMs;
  return static_cast<double>(freeBytes) / perDay;
}

}  // namespace mpm::monitor
