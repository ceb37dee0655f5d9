// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/scenes/light.h"

namespace mpm::test {

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;

inline scenes::Weather clearWeather() {
  scenes::Weather weather;
  weather.clouds = 0.02;
  return weather;
}

inline scenes::Light clearLight(std::uint64_t seed, double time) {
  return scenes::lightAt(seed, time, clearWeather());
}

inline double noonOf(std::uint64_t seed) {
  double noon = 0;
  for (double time = 10 * kHour; time < 15 * kHour; time += kMinute) {
    if (scenes::sunAt(seed, time).height > scenes::sunAt(seed, noon).height) noon = time;
  }
  return noon;
}

/// When the sun goes through the horizon in the evening, to the second.
inline double sunsetOf(std::uint64_t seed) {
  double time = noonOf(seed);
  while (scenes::sunAt(seed, time).height > 0) ++time;
  return time;
}

}  // namespace mpm::test
