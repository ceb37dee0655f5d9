// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "models/scenes/chance.h"
#include "models/scenes/curve.h"
#include "models/scenes/light.h"

namespace mpm::scenes {
namespace {

// Weather comes in spells of this length, and passes into the next within a part of it.
constexpr double kSpellHours = 2.5, kPassing = 0.16;
constexpr double kLeast = 0.1;  // of rain, snow or fog, to be called by its name

enum Stream { kSpells = 7100, kStrength, kClouds, kWind };

double fogChance(double hour) { return 0.055 + 0.24 * std::exp(-std::pow((hour - 6.5) / 2, 2)); }

// What a spell brings.
WeatherKind kindOf(std::uint64_t seed, std::int64_t spell, double hour) {
  const double wet = 0.20, snowShare = smoothStep(0.45, 0.75, winterOf(seed));
  const double drawn = Chance(seed, kSpells).uniform(static_cast<std::uint64_t>(spell));
  if (drawn < wet * snowShare) return WeatherKind::snow;
  if (drawn < wet) return WeatherKind::rain;
  return drawn < wet + fogChance(hour) ? WeatherKind::fog : WeatherKind::fair;
}

// 1 in a spell of this kind, 0 in another one, in between as one passes into the other.
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
