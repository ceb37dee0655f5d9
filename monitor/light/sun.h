// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace mpm::monitor {

/// The sun's altitude above the horizon in degrees, to half a degree, from 1950 to 2100: the
/// almanac's short formula, a hundredth of a degree around 2000, without refraction.
inline double sunAltitude(double latitude, double longitude, std::int64_t utcMs) {
  constexpr double kRadian = 57.29577951308232;  // in degrees
  constexpr double kDayMs = 86400000;
  constexpr std::int64_t kEpochMs = 946728000000;  // J2000: noon of 1 January 2000

  const auto sine = [](double degrees) { return std::sin(degrees / kRadian); };
  const auto cosine = [](double degrees) { return std::cos(degrees / kRadian); };
  const double days = static_cast<double>(utcMs - kEpochMs) / kDayMs;
  const double anomaly = std::fmod(357.528 + 0.9856003 * days, 360);
  const double ecliptic = std::fmod(280.460 + 0.9856474 * days, 360) + 1.915 * sine(anomaly) +
                          0.020 * sine(2 * anomaly);
  const double tilt = 23.439 - 0.0000004 * days;
  const double ascension = std::atan2(cosine(tilt) * sine(ecliptic), cosine(ecliptic)) * kRadian;
  const double sineOfDeclination = sine(tilt) * sine(ecliptic);
  const double cosineOfDeclination = std::sqrt(1 - sineOfDeclination * sineOfDeclination);
  const double sidereal = std::fmod(280.46061838 + 360.9856473662862 * days, 360);
  const double hourAngle = sidereal + longitude - ascension;
  const double height = sine(latitude) * sineOfDeclination +
                        cosine(latitude) * cosineOfDeclination * cosine(hourAngle);
  return std::asin(std::clamp(height, -1.0, 1.0)) * kRadian;
}

}  // namespace mpm::monitor
