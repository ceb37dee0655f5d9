// SPDX-License-Identifier: Apache-2.0
// Light through a day: it never jumps, and it is what everybody knows it to be.
#include "models/scenes/light.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "hours.h"

namespace mpm::test {
namespace {

using scenes::Light;
using scenes::Weather;

std::vector<double> numbersOf(const Light& light) {
  std::vector<double> numbers = {light.sunHeight, light.sunSide, light.moonHeight, light.moonSide,
                                 light.windows,   light.stars,   light.level};
  for (const cv::Vec3d& colour : {light.ambient, light.direct, light.zenith, light.horizon}) {
    for (int c = 0; c < 3; ++c) numbers.push_back(colour[c]);
  }
  return numbers;
}

TEST(Light, DoesNotJump) {
  constexpr double kStep = 10;  // seconds; a passing cloud changes most in them, then lamps
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Light before = scenes::lightAt(seed, -kStep, scenes::weatherAt(seed, -kStep));
    for (double time = 0; time < 2 * kDay; time += kStep) {
      const Light light = scenes::lightAt(seed, time, scenes::weatherAt(seed, time));
      const std::vector<double> a = numbersOf(before), b = numbersOf(light);
      for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_NEAR(a[i], b[i], 0.05) << "number " << i << ", seed " << seed << ", time " << time;
      }
      ASSERT_NEAR(before.lamps, light.lamps, 0.35) << "seed " << seed << ", time " << time;
      before = light;
    }
  }
}

TEST(Light, StaysInItsRanges) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (double time = 0; time < kDay; time += 10 * kMinute) {
      const Light light = scenes::lightAt(seed, time, scenes::weatherAt(seed, time));
      for (const cv::Vec3d& colour :
           {light.ambient, light.zenith, light.horizon, cv::Vec3d(light.ambient + light.direct)}) {
        for (int c = 0; c < 3; ++c) {
          ASSERT_GT(colour[c], 0.02) << "seed " << seed << ", time " << time;
          ASSERT_LE(colour[c], 1) << "seed " << seed << ", time " << time;
        }
      }
      for (const double share : {light.lamps, light.windows, light.stars}) {
        ASSERT_GE(share, 0);
        ASSERT_LE(share, 1);
      }
      ASSERT_LE(std::abs(light.sunSide), 1);
      ASSERT_LE(std::abs(light.moonSide), 1);
      ASSERT_GT(light.level, 0);
      ASSERT_LT(light.level, 1.05);
    }
  }
}

TEST(Light, LevelFallsFromNoonToNight) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const double noon = noonOf(seed), sunset = sunsetOf(seed);
    EXPECT_NEAR(clearLight(seed, noon).level, 1, 0.02) << "seed " << seed;
    EXPECT_NEAR(clearLight(seed, sunset).level, 0.05, 0.015) << "seed " << seed;
    EXPECT_NEAR(clearLight(seed, noon + kDay / 2).level, 0.002, 0.0005) << "seed " << seed;
    Weather overcast;
    overcast.clouds = 1;
    EXPECT_NEAR(scenes::lightAt(seed, noon, overcast).level, 0.3, 0.03) << "seed " << seed;
    double before = 2;  // lamps keep the level up from dusk on
    for (double time = noon; clearLight(seed, time).lamps == 0; time += 5 * kMinute) {
      const double level = clearLight(seed, time).level;
      EXPECT_LE(level, before) << "seed " << seed << ", time " << time;
      before = level;
    }
  }
}

TEST(Light, TheSunGoesFromLeftToRight) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const double noon = noonOf(seed), sunset = sunsetOf(seed);
    const double sunrise = 2 * noon - sunset;
    EXPECT_GT(clearLight(seed, noon).sunHeight, 0.35) << "seed " << seed;
    EXPECT_LT(clearLight(seed, noon + kDay / 2).sunHeight, -0.35) << "seed " << seed;
    EXPECT_NEAR(clearLight(seed, noon).sunSide, 0, 0.01) << "seed " << seed;
    EXPECT_NEAR(clearLight(seed, sunrise).sunSide, -1, 0.01) << "seed " << seed;
    EXPECT_NEAR(clearLight(seed, sunset).sunSide, 1, 0.01) << "seed " << seed;
    double before = -2;
    for (double time = sunrise + 2 * kMinute; time < sunset - 2 * kMinute; time += 10 * kMinute) {
      EXPECT_GT(clearLight(seed, time).sunSide, before) << "seed " << seed;
      before = clearLight(seed, time).sunSide;
    }
  }
}

TEST(Light, TheMoonStandsHighByNight) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    double highest = -1;
    for (double time = 0; time < kDay; time += 10 * kMinute) {
      const Light light = clearLight(seed, time);
      if (light.sunHeight < -0.1) highest = std::max(highest, light.moonHeight);
    }
    EXPECT_GT(highest, 0.35) << "seed " << seed;
  }
}

TEST(Light, LampsGoOnAtDuskWithinMinutes) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const double sunset = sunsetOf(seed);
    EXPECT_EQ(clearLight(seed, noonOf(seed)).lamps, 0) << "seed " << seed;
    EXPECT_EQ(clearLight(seed, noonOf(seed) + kDay / 2).lamps, 1) << "seed " << seed;
    double begin = sunset - kHour;
    while (clearLight(seed, begin).lamps < 0.02) ++begin;
    double end = begin;
    while (clearLight(seed, end).lamps < 0.98) ++end;
    EXPECT_LT(end - begin, 4 * kMinute) << "seed " << seed;
    EXPECT_GT(end - begin, 30) << "seed " << seed;
    EXPECT_NEAR(begin, sunset + 10 * kMinute, 20 * kMinute) << "seed " << seed;
  }
}

TEST(Light, WindowsFollowTheEvening) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto lit = [&](double hour) { return clearLight(seed, hour * kHour).windows; };
    EXPECT_GT(lit(20.5), 0.5) << "seed " << seed;
    EXPECT_LT(lit(3), 0.1) << "seed " << seed;
    EXPECT_GT(lit(3), 0.01) << "seed " << seed;
    EXPECT_LT(lit(12.5), 0.05) << "seed " << seed;
    EXPECT_GT(lit(23), lit(26)) << "seed " << seed;
  }
}

TEST(Light, ColoursOfTheDay) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const double noon = noonOf(seed), sunset = sunsetOf(seed);
    const Light day = clearLight(seed, noon), night = clearLight(seed, noon + kDay / 2);
    const Light low = clearLight(seed, sunset - 15 * kMinute);
    const Light blue = clearLight(seed, sunset + 35 * kMinute);
    const cv::Vec3d white = day.ambient + day.direct;
    EXPECT_NEAR(white[0], white[2], 0.05) << "seed " << seed;  // neutral at noon
    EXPECT_GT(white[1], 0.9) << "seed " << seed;
    EXPECT_GT(day.zenith[0], 1.5 * day.zenith[2]) << "seed " << seed;
    EXPECT_GT(low.direct[2], 1.3 * low.direct[0]) << "seed " << seed;  // warm
    EXPECT_GT(low.horizon[2], 1.2 * low.horizon[0]) << "seed " << seed;
    EXPECT_GT(blue.zenith[0], 1.5 * blue.zenith[2]) << "seed " << seed;
    EXPECT_GT(night.ambient[0], 1.2 * night.ambient[2]) << "seed " << seed;
    EXPECT_LT(night.ambient[1], 0.25) << "seed " << seed;
    EXPECT_GT(night.ambient[1], 0.12) << "seed " << seed;
  }
}

TEST(Light, CloudsTakeSunAndStars) {
  Weather overcast;
  overcast.clouds = 1;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const double noon = noonOf(seed), midnight = noon + kDay / 2;
    EXPECT_EQ(cv::norm(scenes::lightAt(seed, noon, overcast).direct), 0) << "seed " << seed;
    EXPECT_GT(cv::norm(clearLight(seed, noon).direct), 0.5) << "seed " << seed;
    EXPECT_EQ(scenes::lightAt(seed, midnight, overcast).stars, 0) << "seed " << seed;
    EXPECT_GT(clearLight(seed, midnight).stars, 0.5) << "seed " << seed;
    EXPECT_EQ(clearLight(seed, noon).stars, 0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace mpm::test
