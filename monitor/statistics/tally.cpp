// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "monitor/statistics/series.h"
#include "monitor/statistics/tally_value.h"

namespace mpm::monitor {

void Tally::add(double value) { tallyValue(*this, value); }

void Tally::add(const Tally& other) {
  count += other.count;
  sum += other.sum;
  squares += other.squares;
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
}

double Tally::mean() const {
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

double Tally::deviation() const {
  if (count < 2) return std::numeric_limits<double>::quiet_NaN();
  const double rest = squares - sum * (sum / count);
  return std::sqrt(std::max(0.0, rest) / (count - 1));
}

}  // namespace mpm::monitor
