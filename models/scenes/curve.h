// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "models/scenes/chance.h"

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

/// Values by chance at whole numbers, joined without a corner.
inline double wave(const Chance& chance, double x) {
  const double whole = std::floor(x);
  const auto index = static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
  return mixed(chance.uniform(index), chance.uniform(index + 1), smoothStep(0, 1, x - whole));
}

}  // namespace mpm::scenes
