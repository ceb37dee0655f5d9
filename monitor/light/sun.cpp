// SPDX-License-Identifier: Apache-2.0
// The almanac's short formula for the sun's place: a hundredth of a degree around 2000, and far
// better than half a degree for a century before and after. Without refraction.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "monitor/light/light_meter.h"

namespace mpm::monitor {
namespace {

constexpr double kRadian = 57.29577951308232;  // in degrees
constexpr double kDayMs = 86400000;
constexpr std::int64_t kEpochMs = 946728000000;  // J2000: noon of 1 January 2000

double sine(double degrees) { return std::sin(degrees / kRadian); }
double cosine(double degrees) { return std::cos(degrees / kRadian); }

}  // namespace

double sunAltitude(double latitude, double longitude, std::int64_t utcMs) {
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
