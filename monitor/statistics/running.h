// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mpm::monitor {

/// Count, mean and deviation of values that are not kept, stable whatever their number: brought up
/// to date value by value (Welford 1962) and part by part (Chan, Golub, LeVeque 1979).
class Running {
 public:
  Running() = default;
  /// Of `count` values; `squares`: of their distances from the mean.
  Running(std::uint64_t count, double mean, double squares, double smallest, double largest)
      : count_(count), mean_(mean), squares_(squares), smallest_(smallest), largest_(largest) {}

  /// NaN and infinities do not count.
  void add(double value) {
    if (!std::isfinite(value)) return;
    ++count_;
    const double step = value - mean_;
    mean_ += step / static_cast<double>(count_);
    squares_ += step * (value - mean_);
    smallest_ = std::min(smallest_, value);
    largest_ = std::max(largest_, value);
  }

  void add(const Running& other) {
    if (other.count_ == 0) return;
    const auto own = static_cast<double>(count_), others = static_cast<double>(other.count_);
    const double distance = other.mean_ - mean_, total = own + others;
    squares_ += other.squares_ + distance * distance * (own * others / total);
    mean_ += distance * (others / total);
    count_ += other.count_;
    smallest_ = std::min(smallest_, other.smallest_);
    largest_ = std::max(largest_, other.largest_);
  }

  std::uint64_t count() const { return count_; }
  /// NaN of none.
  double mean() const { return count_ > 0 ? mean_ : std::numeric_limits<double>::quiet_NaN(); }

  /// With n - 1; NaN of fewer than two.
  double deviation() const {
    if (count_ < 2) return std::numeric_limits<double>::quiet_NaN();
    return std::sqrt(std::max(0.0, squares_) / static_cast<double>(count_ - 1));
  }

  double smallest() const { return smallest_; }
  double largest() const { return largest_; }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
  double smallest_ = std::numeric_limits<double>::infinity();
  double largest_ = -std::numeric_limits<double>::infinity();
};

}  // namespace mpm::monitor
