// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/sun_path.h"

#include <cmath>
#include <opencv2/core.hpp>

#include "models/scenes/chance.h"

namespace mpm::scenes {
namespace {

constexpr double kDegree = CV_PI / 180;
constexpr double kDay = 86400;
// Latitudes and seasons are those of days that have a night and a high noon.
constexpr double kLatitude = 46, kLatitudeRange = 4, kMostDeclination = 15;

enum Draws { kSeason, kLatitudeDraw, kNoon, kMoonLag };

Chance chanceOf(std::uint64_t seed) { return Chance(seed, 7001); }

struct Orbit {
  double latitude, declination, noon;  // radians; seconds
};

Orbit sunOrbit(std::uint64_t seed) {
  const Chance chance = chanceOf(seed);
  return {(kLatitude + chance.between(kLatitudeDraw, -kLatitudeRange, kLatitudeRange)) * kDegree,
          kMostDeclination * std::cos(CV_PI * winterOf(seed)) * kDegree,
          12.2 * 3600 + chance.between(kNoon, -1200, 1200)};
}

double heightAt(const Orbit& orbit, double hourAngle) {
  return std::sin(orbit.latitude) * std::sin(orbit.declination) +
         std::cos(orbit.latitude) * std::cos(orbit.declination) * std::cos(hourAngle);
}

// Goes from left to right while the body is up, and back below the horizon: no jump, no corner.
double sideAt(const Orbit& orbit, double hourAngle) {
  const double setting = std::acos(-std::tan(orbit.latitude) * std::tan(orbit.declination));
  if (std::abs(hourAngle) < setting) return std::sin(CV_PI / 2 * hourAngle / setting);
  const double below = hourAngle > 0 ? hourAngle - setting : hourAngle + 2 * CV_PI - setting;
  return std::cos(CV_PI * below / (2 * CV_PI - 2 * setting));
}

SkyPlace placeAt(const Orbit& orbit, double time) {
  const double hourAngle = std::remainder((time - orbit.noon) / kDay, 1.0) * 2 * CV_PI;
  return {heightAt(orbit, hourAngle), sideAt(orbit, hourAngle)};
}

}  // namespace

double winterOf(std::uint64_t seed) { return chanceOf(seed).uniform(kSeason); }

double noonHeight(std::uint64_t seed) { return heightAt(sunOrbit(seed), 0); }

SkyPlace sunAt(std::uint64_t seed, double time) { return placeAt(sunOrbit(seed), time); }

SkyPlace moonAt(std::uint64_t seed, double time) {
  Orbit orbit = sunOrbit(seed);
  orbit.declination *= -1;  // a full moon stands high in winter
  orbit.noon += kDay / 2 + chanceOf(seed).between(kMoonLag, -2.5, 2.5) * 3600;
  return placeAt(orbit, time);
}

}  // namespace mpm::scenes
