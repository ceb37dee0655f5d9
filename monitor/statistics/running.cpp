// SPDX-License-Identifier: Apache-2.0
// Mean and sum of squared deviations, brought up to date value by value (Welford 1962) and part
// by part (Chan, Golub, LeVeque 1979).
#include "monitor/statistics/running.h"

#include <algorithm>
#include <cmath>

namespace mpm::monitor {

void Running::add(double value) {
  if (!std::isfinite(value)) return;
  ++count_;
  const double step = value - mean_;
  mean_ += step / static_cast<double>(count_);
  squares_ += step * (value - mean_);
  smallest_ = std::min(smallest_, value);
  largest_ = std::max(largest_, value);
}

void Running::add(const Running& other) {
  if (other.count_ == 0) return;
  const auto own = static_cast<double>(count_), others = static_cast<double>(other.count_);
  const double distance = other.mean_ - mean_, total = own + others;
  squares_ += other.squares_ + distance * distance * (own * others / total);
  mean_ += distance * (others / total);
  count_ += other.count_;
  smallest_ = std::min(smallest_, other.smallest_);
  largest_ = std::max(largest_, other.largest_);
}

double Running::mean() const {
  return count_ > 0 ? mean_ : std::numeric_limits<double>::quiet_NaN();
}

double Running::deviation() const {
  if (count_ < 2) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt(std::max(0.0, squares_) / static_cast<double>(count_ - 1));
}

}  // namespace mpm::monitor
