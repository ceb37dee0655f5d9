// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mpm::scenes {

/// Where the sun or the moon stands.
struct SkyPlace {
  double height = 0;  ///< sine of its height above the horizon
  double side = 0;    ///< -1 left, where it rises; 0 in front; 1 right, where it sets
};

/// The year has one day under each seed: 0 in the middle of summer, 1 in the middle of winter.
double winterOf(std::uint64_t seed);

SkyPlace sunAt(std::uint64_t seed, double time);
SkyPlace moonAt(std::uint64_t seed,
                double time);           ///< nearly full: it rises about when the sun sets
double noonHeight(std::uint64_t seed);  ///< the sun's at its highest, as a sine

}  // namespace mpm::scenes
