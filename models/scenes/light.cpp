// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/light.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <opencv2/core.hpp>
#include <utility>

#include "models/scenes/chance.h"

namespace mpm::scenes {
namespace {

constexpr double kDegree = CV_PI / 180;
constexpr double kDay = 86400;
// Latitudes and seasons have a night and a high noon each day.
constexpr double kLatitude = 46, kLatitudeRange = 4, kMostDeclination = 15;

enum Draws { kSeason, kLatitudeDraw, kNoonDraw, kMoonLag };

Chance chanceOf(std::uint64_t seed) { return Chance(seed, 7001); }

struct Orbit {
  double latitude, declination, noon;  // radians; seconds
};

Orbit sunOrbit(std::uint64_t seed) {
  const Chance chance = chanceOf(seed);
  return {(kLatitude + chance.between(kLatitudeDraw, -kLatitudeRange, kLatitudeRange)) * kDegree,
          kMostDeclination * std::cos(CV_PI * winterOf(seed)) * kDegree,
          12.2 * 3600 + chance.between(kNoonDraw, -1200, 1200)};
}

double heightAt(const Orbit& orbit, double hourAngle) {
  return std::sin(orbit.latitude) * std::sin(orbit.declination) +
         std::cos(orbit.latitude) * std::cos(orbit.declination) * std::cos(hourAngle);
}

// Moves from left to right while the body is up, and back below the horizon, smoothly.
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

namespace {

using cv::Vec3d;

// The sun's height in degrees is stretched so that every noon is kNoon.
constexpr double kNoon = 50;

struct SkyLight {
  Vec3d ambient, zenith, horizon;
};

// The sky's light at a height of the sun, from night through blue hour and sunset to noon.
struct Key {
  double height;
  SkyLight clear, overcast;
  Vec3d direct;
  double logLevel;  // base 10, of the clear sky's
};

constexpr std::size_t kKeys = 9;

const std::array<Key, kKeys>& keys() {
  static const std::array<Key, kKeys> all = {{
      {-17,
       {{0.25, 0.185, 0.155}, {0.17, 0.085, 0.055}, {0.27, 0.175, 0.15}},
       {{0.24, 0.20, 0.175}, {0.17, 0.135, 0.125}, {0.23, 0.19, 0.18}},
       {0, 0, 0},
       -5.0},
      {-11,
       {{0.29, 0.215, 0.175}, {0.26, 0.135, 0.08}, {0.36, 0.235, 0.20}},
       {{0.26, 0.215, 0.19}, {0.22, 0.165, 0.145}, {0.27, 0.215, 0.20}},
       {0, 0, 0},
       -3.6},
      {-6,
       {{0.43, 0.335, 0.28}, {0.45, 0.27, 0.17}, {0.50, 0.40, 0.42}},
       {{0.40, 0.33, 0.29}, {0.38, 0.30, 0.26}, {0.42, 0.34, 0.31}},
       {0, 0, 0},
       -2.35},
      {-2,
       {{0.58, 0.49, 0.45}, {0.62, 0.42, 0.31}, {0.46, 0.51, 0.72}},
       {{0.58, 0.52, 0.48}, {0.57, 0.49, 0.45}, {0.58, 0.52, 0.50}},
       {0, 0, 0},
       -1.6},
      {1,
       {{0.60, 0.54, 0.53}, {0.70, 0.51, 0.40}, {0.46, 0.62, 0.92}},
       {{0.70, 0.66, 0.64}, {0.68, 0.63, 0.61}, {0.70, 0.68, 0.68}},
       {0.02, 0.07, 0.13},
       -1.22},
      {5,
       {{0.60, 0.56, 0.55}, {0.77, 0.58, 0.45}, {0.66, 0.78, 0.95}},
       {{0.76, 0.74, 0.72}, {0.74, 0.71, 0.69}, {0.77, 0.76, 0.75}},
       {0.12, 0.26, 0.40},
       -0.82},
      {12,
       {{0.61, 0.58, 0.565}, {0.83, 0.62, 0.44}, {0.87, 0.88, 0.90}},
       {{0.80, 0.78, 0.77}, {0.78, 0.755, 0.74}, {0.82, 0.81, 0.80}},
       {0.25, 0.34, 0.415},
       -0.42},
      {28,
       {{0.62, 0.60, 0.585}, {0.86, 0.61, 0.37}, {0.95, 0.90, 0.83}},
       {{0.82, 0.81, 0.80}, {0.80, 0.78, 0.77}, {0.86, 0.85, 0.84}},
       {0.33, 0.375, 0.405},
       -0.10},
      {kNoon,
       {{0.62, 0.605, 0.59}, {0.86, 0.59, 0.33}, {0.96, 0.90, 0.82}},
       {{0.83, 0.82, 0.81}, {0.81, 0.79, 0.78}, {0.87, 0.86, 0.85}},
       {0.355, 0.385, 0.405},
       0},
  }};
  return all;
}

SkyLight mixedSky(const SkyLight& a, const SkyLight& b, double t) {
  return {mixed(a.ambient, b.ambient, t), mixed(a.zenith, b.zenith, t),
          mixed(a.horizon, b.horizon, t)};
}

Key keyAt(double height) {
  const auto& all = keys();
  height = std::clamp(height, all.front().height, all.back().height);
  const auto above = std::upper_bound(all.begin() + 1, all.end() - 1, height,
                                      [](double x, const Key& key) { return x < key.height; });
  const Key &low = *(above - 1), &high = *above;
  const double t = (height - low.height) / (high.height - low.height);
  return {height, mixedSky(low.clear, high.clear, t), mixedSky(low.overcast, high.overcast, t),
          mixed(low.direct, high.direct, t), mixed(low.logLevel, high.logLevel, t)};
}

double degrees(double sine) { return std::asin(std::clamp(sine, -1.0, 1.0)) * 180 / CV_PI; }

// Returns how much sun a passing cloud takes away: clouds of about a quarter of an hour, more
// frequent the more there are.
double shadeAt(std::uint64_t seed, double time, double clouds) {
  const double gap = wave(Chance(seed, 7200), time / 900);
  return smoothStep(-0.12, 0.12, clouds - (0.2 + 0.6 * gap));
}

// Returns the share of lit windows at an hour, if it is dark.
double litWindows(double hour) {
  constexpr std::array<std::pair<double, double>, 14> kShares = {{{0, 0.20},
                                                                  {1, 0.10},
                                                                  {2.5, 0.045},
                                                                  {4.5, 0.04},
                                                                  {5.5, 0.12},
                                                                  {6.7, 0.32},
                                                                  {8, 0.30},
                                                                  {10, 0.18},
                                                                  {15, 0.20},
                                                                  {17.5, 0.42},
                                                                  {19.5, 0.64},
                                                                  {21.5, 0.60},
                                                                  {23, 0.36},
                                                                  {24, 0.20}}};
  for (std::size_t i = 1; i < kShares.size(); ++i) {
    const auto [from, a] = kShares[i - 1];
    const auto [to, b] = kShares[i];
    if (hour <= to) return mixed(a, b, (hour - from) / (to - from));
  }
  return kShares.back().second;
}

double hourOf(double time) { return (time - 86400 * std::floor(time / 86400)) / 3600; }

// Street lamps go on around this level of daylight; the band is in powers of ten. The sun takes
// about two minutes through it.
constexpr double kLampLevel = 0.025, kLampBand = 0.035;

}  // namespace

Light lightAt(std::uint64_t seed, double time, const Weather& weather) {
  const Chance chance(seed, 7300);
  const SkyPlace sun = sunAt(seed, time), moon = moonAt(seed, time);
  Light light;
  light.sunHeight = sun.height, light.sunSide = sun.side;
  light.moonHeight = moon.height, light.moonSide = moon.side;

  const double real = degrees(sun.height);
  const Key key = keyAt(real > 0 ? real * kNoon / degrees(noonHeight(seed)) : real);
  const double cover = mixed(weather.clouds, 1.0, std::min(1.0, 2.5 * weather.fog));
  const double over = smoothStep(0.55, 0.95, cover);
  const double shade = std::max(shadeAt(seed, time, weather.clouds), over);
  const SkyLight sky = mixedSky(key.clear, key.overcast, over);
  light.zenith = sky.zenith, light.horizon = sky.horizon;
  light.ambient = mixed(key.clear.ambient, key.overcast.ambient, 0.75 * shade + 0.25 * over);

  const double night = 1 - smoothStep(-12, -7, real);
  const double moonlight = night * smoothStep(0, 0.35, moon.height);
  light.direct = (key.direct + Vec3d(0.07, 0.052, 0.042) * moonlight) * (1 - shade);

  const double murk = 1 - 0.3 * weather.rain - 0.15 * weather.snow - 0.25 * weather.fog;
  const double daylight = std::pow(10, key.logLevel) * (1 - 0.45 * over) * murk;
  const double lampLevel = std::log10(kLampLevel) + chance.between(0, -0.1, 0.1);
  light.lamps = smoothStep(-kLampBand, kLampBand, lampLevel - std::log10(daylight));
  light.level = daylight * (1 - 0.45 * shade) + 0.0018 * light.lamps +
                0.0002 * moonlight * (1 - shade) + 0.00005;
  const double dark = 1 - smoothStep(-1.8, -0.7, std::log10(daylight));
  const Vec3d glow = Vec3d(0.06, 0.10, 0.13) * (weather.fog * light.lamps);  // lamps light the fog
  light.zenith += glow * 0.6, light.horizon += glow;
  const double shifted = hourOf(time + chance.between(1, -1800, 1800));
  light.windows = litWindows(shifted) * (0.08 + 0.92 * dark);
  light.stars = (1 - smoothStep(-15, -8, real)) * (1 - over) * (1 - 0.6 * weather.clouds) *
                (1 - 0.35 * moonlight);
  return light;
}

namespace {

// Weather lasts for spells of this length, and changes to the next within a part of it.
constexpr double kSpellHours = 2.5, kPassing = 0.16;
constexpr double kLeast = 0.1;  // of rain, snow or fog, to be called by its name

enum Stream { kSpells = 7100, kStrength, kClouds, kWind };

double fogChance(double hour) { return 0.055 + 0.24 * std::exp(-std::pow((hour - 6.5) / 2, 2)); }

// Returns a spell's weather.
WeatherKind kindOf(std::uint64_t seed, std::int64_t spell, double hour) {
  const double wet = 0.20, snowShare = smoothStep(0.45, 0.75, winterOf(seed));
  const double drawn = Chance(seed, kSpells).uniform(static_cast<std::uint64_t>(spell));
  if (drawn < wet * snowShare) return WeatherKind::snow;
  if (drawn < wet) return WeatherKind::rain;
  return drawn < wet + fogChance(hour) ? WeatherKind::fog : WeatherKind::fair;
}

// Returns 1 in a spell of this kind, 0 in others, and values between during a change.
double presence(std::uint64_t seed, double time, WeatherKind kind) {
  const double shift = Chance(seed, kSpells).uniform(~std::uint64_t{0});
  const double x = time / (kSpellHours * 3600) + shift;
  const double near = std::round(x);  // the nearest border between two spells
  const auto isThere = [&](double spell) {
    const double middle = (spell + 0.5 - shift) * kSpellHours;
    const double hour = middle - 24 * std::floor(middle / 24);
    return kindOf(seed, static_cast<std::int64_t>(spell), hour) == kind ? 1.0 : 0.0;
  };
  return mixed(isThere(near - 1), isThere(near), smoothStep(-kPassing, kPassing, x - near));
}

}  // namespace

WeatherKind Weather::kind() const {
  const double most = std::max({rain, snow, fog});
  if (most < kLeast) return WeatherKind::fair;
  return most == rain ? WeatherKind::rain : most == snow ? WeatherKind::snow : WeatherKind::fog;
}

Weather weatherAt(std::uint64_t seed, double time, WeatherKind kind) {
  const auto amount = [&](WeatherKind one) {
    if (kind == WeatherKind::changing) return presence(seed, time, one);
    return kind == one ? 1.0 : 0.0;
  };
  const double hours = time / 3600;
  const double strength = mixed(0.3, 1.0, wave(Chance(seed, kStrength), hours / 0.8));
  Weather weather;
  weather.rain = amount(WeatherKind::rain) * strength;
  weather.snow = amount(WeatherKind::snow) * strength;
  weather.fog = amount(WeatherKind::fog) * strength;
  const double wet = std::max(amount(WeatherKind::rain), amount(WeatherKind::snow));
  const double cover = wave(Chance(seed, kClouds), hours / 3.5);
  weather.clouds = mixed(0.08 + 0.62 * cover * cover, 0.85 + 0.15 * strength, wet);
  weather.clouds = mixed(weather.clouds, 0.7 + 0.2 * cover, amount(WeatherKind::fog));
  const double breeze = wave(Chance(seed, kWind), hours / 1.3);
  weather.wind = (0.08 + 0.5 * breeze + 0.35 * weather.rain) * (1 - 0.7 * weather.fog);
  return weather;
}

double puddlesAt(std::uint64_t seed, double time, WeatherKind kind) {
  constexpr int kSteps = 24;
  constexpr double kStep = 600, kEmptied = 4000;  // seconds; the second to a third of it
  double fallen = 0, most = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double left = std::exp(-i * kStep / kEmptied);
    fallen += left * weatherAt(seed, time - i * kStep, kind).rain;
    most += left;
  }
  return std::min(1.0, 1.4 * fallen / most);  // it need not pour for hours to fill them
}

}  // namespace mpm::scenes
