// SPDX-License-Identifier: Apache-2.0
// Exposure: right when the light stands still, late when it changes, at its end by night.
#include "models/scenes/sensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hours.h"

namespace mpm::test {
namespace {

using scenes::CameraOptions;
using scenes::Exposure;
using scenes::exposureAt;

CameraOptions fairStreet(std::uint64_t seed, double clock) {
  CameraOptions options;
  options.seed = seed;
  options.clock = clock;
  options.weather = scenes::WeatherKind::fair;
  return options;
}

double levelAt(const CameraOptions& options, double time) {
  return scenes::lightAt(options.seed, time, scenes::weatherAt(options.seed, time, options.weather))
      .level;
}

// Where the light stands still: a little more than what it asks for, the less there is of it.
double settledGain(const CameraOptions& options, double time) {
  return std::pow(levelAt(options, time), 1 - scenes::kMetering);
}

TEST(Exposure, IsRightByDay) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const CameraOptions options = fairStreet(seed, 1);
    const Exposure exposure = exposureAt(options, noonOf(seed));
    EXPECT_NEAR(exposure.gain, settledGain(options, noonOf(seed)), 0.01) << "seed " << seed;
    EXPECT_NEAR(exposure.gain, 1, 0.05) << "seed " << seed;
    EXPECT_NEAR(exposure.electrons, 9000, 300) << "seed " << seed;
  }
}

TEST(Exposure, ComesToItsEndByNight) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Exposure exposure = exposureAt(fairStreet(seed, 1), noonOf(seed) + kDay / 2);
    EXPECT_LT(exposure.gain, 1.6) << "seed " << seed;
    EXPECT_GT(exposure.gain, 0.9) << "seed " << seed;
    EXPECT_LT(exposure.electrons, 1000) << "seed " << seed;
    EXPECT_GT(exposure.electrons, 100) << "seed " << seed;
  }
}

TEST(Exposure, LagsBehindAFastClock) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const double sunset = sunsetOf(seed), sunrise = 2 * noonOf(seed) - sunset;
    const CameraOptions slow = fairStreet(seed, 1), fast = fairStreet(seed, 600);
    const double settled = settledGain(slow, sunset);
    EXPECT_NEAR(exposureAt(slow, sunset).gain, settled, 0.01) << "seed " << seed;
    EXPECT_LT(exposureAt(fast, sunset).gain, 0.8 * settled) << "seed " << seed;
    EXPECT_GT(exposureAt(fast, sunrise).gain, 1.2 * settledGain(slow, sunrise)) << "seed " << seed;
  }
}

// The mean of the exposures' logarithms under the weight exp(-age / lag), summed finely.
TEST(Exposure, LagIsTwoSecondsOfTheCamera) {
  for (const double clock : {60.0, 600.0, 1200.0}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const CameraOptions options = fairStreet(seed, clock);
      const double time = sunsetOf(seed) - 20 * kMinute;
      double sum = 0, weights = 0;
      for (double age = 0.005; age < 8 * scenes::kExposureLag; age += 0.01) {
        const double weight = std::exp(-age / scenes::kExposureLag);
        sum -= weight * scenes::kMetering * std::log(levelAt(options, time - age * clock));
        weights += weight;
      }
      const double gain = std::exp(sum / weights) * levelAt(options, time);
      EXPECT_NEAR(exposureAt(options, time).gain, gain, 0.05 * gain)
          << "seed " << seed << ", clock " << clock;
    }
  }
}

TEST(Exposure, DoesNotJump) {
  const CameraOptions options = fairStreet(3, 600);
  double before = exposureAt(options, 0).gain;
  for (double time = 20; time < kDay; time += 20) {  // one frame of 30 a second
    const double gain = exposureAt(options, time).gain;
    ASSERT_NEAR(std::log2(gain / before), 0, 0.2) << "time " << time;
    before = gain;
  }
}

}  // namespace
}  // namespace mpm::test
