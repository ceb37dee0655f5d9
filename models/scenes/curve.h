// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace mpm::scenes {

/// From a to b as t goes from 0 to 1.
template <class T>
T mixed(const T& a, const T& b, double t) {
  return a * (1 - t) + b * t;
}

/// 0 up to `low`, 1 from `high` on, without a corner at either end.
inline double smoothStep(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

}  // namespace mpm::scenes
