// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>

namespace mpm::scenes {

/// Position of the sun or the moon.
struct SkyPlace {
  double height = 0;  ///< sine of its height above the horizon
  double side = 0;    ///< -1 left, where it rises; 0 in front; 1 right, where it sets
};

/// Each seed has one day of the year: 0 in the middle of summer, 1 in the middle of winter.
double winterOf(std::uint64_t seed);

SkyPlace sunAt(std::uint64_t seed, double time);
SkyPlace moonAt(std::uint64_t seed,
                double time);           ///< nearly full: it rises about when the sun sets
double noonHeight(std::uint64_t seed);  ///< the sun's at its highest, as a sine

/// Everything here follows from a seed and a time, in seconds since the first day's midnight.

enum class WeatherKind { changing, fair, rain, snow, fog };

struct Weather {
  double clouds = 0.2;                 ///< share of the sky that they cover
  double rain = 0, snow = 0, fog = 0;  ///< 0 none, 1 heavy
  double wind = 0.3;                   ///< 0 calm, 1 storm; blows to the right
  double puddles = 0;                  ///< how full hollows of the ground are; 0 dry

  WeatherKind kind() const;  ///< what there is most of; fair where that is next to nothing
};

/// Light for a camera that is exposed for it: colours of a white surface, BGR from 0 to 1. `level`
/// gives the number of photons behind them.
struct Light {
  double sunHeight = 1;  ///< sine of the sun's height; below 0 it has set
  double sunSide = 0;    ///< where it stands: -1 left (morning), 0 in front, 1 right (evening)
  double moonHeight = -1, moonSide = 0;  ///< the same of the moon
  cv::Vec3d ambient{1, 1, 1};            ///< on every surface, in shadow too
  cv::Vec3d direct{0, 0, 0};             ///< on top of it where the sun (by night: the moon) shines
  cv::Vec3d zenith{1, 0.7, 0.4}, horizon{1, 0.9, 0.8};  ///< the sky's
  double lamps = 0;    ///< street lamps and headlights: 0 off, 1 on
  double windows = 0;  ///< share of the windows that are lit
  double stars = 0;    ///< 0 none to be seen, 1 a clear night
  double level =
      1;  ///< luminance of white: 1 at a clear noon, about 0.002 in a lit street by night
};

/// Changing weather is mostly fair, with rain, fog (mostly at dawn) and, for seeds in winter, snow.
/// The other kinds last all day, with varying strength.
Weather weatherAt(std::uint64_t seed, double time, WeatherKind kind = WeatherKind::changing);
/// Returns how full the ground's hollows are, 0 to 1: they fill within about an hour of rain, and
/// empty as slowly. weatherAt leaves `Weather::puddles` at 0.
double puddlesAt(std::uint64_t seed, double time, WeatherKind kind = WeatherKind::changing);
Light lightAt(std::uint64_t seed, double time, const Weather& weather);

}  // namespace mpm::scenes
