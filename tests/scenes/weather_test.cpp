// SPDX-License-Identifier: Apache-2.0
// Weather: how often there is which, and that it comes and goes slowly.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "hours.h"
#include "models/scenes/light.h"

namespace mpm::test {
namespace {

using scenes::Weather;
using scenes::WeatherKind;

std::size_t indexOf(WeatherKind kind) { return static_cast<std::size_t>(kind); }

TEST(Weather, Shares) {
  std::array<double, 5> shares{};
  constexpr int kSeeds = 1000, kTimes = 48;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    for (int i = 0; i < kTimes; ++i) {
      const WeatherKind kind = scenes::weatherAt(seed, i * kDay / kTimes).kind();
      shares[indexOf(kind)] += 1.0 / (kSeeds * kTimes);
    }
  }
  EXPECT_NEAR(shares[indexOf(WeatherKind::fair)], 0.70, 0.02);
  EXPECT_NEAR(shares[indexOf(WeatherKind::rain)], 0.12, 0.02);
  EXPECT_NEAR(shares[indexOf(WeatherKind::fog)], 0.10, 0.02);
  EXPECT_NEAR(shares[indexOf(WeatherKind::snow)], 0.08, 0.02);
}

TEST(Weather, ComesAndGoesSlowly) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Weather before = scenes::weatherAt(seed, -10);
    for (double time = 0; time < 3 * kDay; time += 10) {
      const Weather weather = scenes::weatherAt(seed, time);
      const double change =
          std::max({std::abs(weather.rain - before.rain), std::abs(weather.snow - before.snow),
                    std::abs(weather.fog - before.fog), std::abs(weather.clouds - before.clouds),
                    std::abs(weather.wind - before.wind)});
      ASSERT_LT(change, 0.02) << "seed " << seed << ", time " << time;
      before = weather;
    }
  }
}

TEST(Weather, StaysInItsRanges) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (double time = -kDay; time < 2 * kDay; time += 20 * kMinute) {
      const Weather weather = scenes::weatherAt(seed, time);
      for (const double share :
           {weather.clouds, weather.rain, weather.snow, weather.fog, weather.wind}) {
        ASSERT_GE(share, 0) << "seed " << seed << ", time " << time;
        ASSERT_LE(share, 1) << "seed " << seed << ", time " << time;
      }
    }
  }
}

TEST(Weather, FogIsOfTheMorningAndSnowOfWinter) {
  int dawn = 0, afternoon = 0, snow = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    for (int minutes = 0; minutes < 180; minutes += 30) {
      const auto isFog = [&](double hour) {
        return scenes::weatherAt(seed, hour * kHour + minutes * kMinute).kind() == WeatherKind::fog;
      };
      dawn += isFog(5) ? 1 : 0;
      afternoon += isFog(14) ? 1 : 0;
      const WeatherKind kind = scenes::weatherAt(seed, minutes * 4 * kMinute).kind();
      if (kind == WeatherKind::snow) {
        ++snow;
        EXPECT_GT(scenes::winterOf(seed), 0.4) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(dawn, 2 * afternoon);
  EXPECT_GT(afternoon, 0);
  EXPECT_GT(snow, 0);
}

TEST(Weather, AFixedKindStays) {
  for (const WeatherKind kind :
       {WeatherKind::fair, WeatherKind::rain, WeatherKind::snow, WeatherKind::fog}) {
    double least = 2, most = -1;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      for (double time = 0; time < kDay; time += 30 * kMinute) {
        const Weather weather = scenes::weatherAt(seed, time, kind);
        ASSERT_EQ(weather.kind(), kind) << "seed " << seed << ", time " << time;
        const double strength = std::max({weather.rain, weather.snow, weather.fog});
        least = std::min(least, strength), most = std::max(most, strength);
      }
    }
    if (kind == WeatherKind::fair) {
      EXPECT_EQ(most, 0);
    } else {
      EXPECT_GT(most - least, 0.3);  // now more, now less
    }
  }
}

}  // namespace
}  // namespace mpm::test
