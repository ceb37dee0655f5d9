// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace mpm::monitor {

/// Count, mean and deviation of values that are not kept, stable whatever their number.
class Running {
 public:
  void add(double value);  ///< NaN and infinities do not count
  void add(const Running& other);

  std::uint64_t count() const { return count_; }
  double mean() const;       ///< NaN of none
  double deviation() const;  ///< n - 1; NaN of fewer than two
  double smallest() const { return smallest_; }
  double largest() const { return largest_; }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
  double smallest_ = std::numeric_limits<double>::infinity();
  double largest_ = -std::numeric_limits<double>::infinity();
};

}  // namespace mpm::monitor
