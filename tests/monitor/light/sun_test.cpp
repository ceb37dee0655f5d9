// SPDX-License-Identifier: Apache-2.0
// The sun's place against almanacs.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>

#include "monitor/light/light_steps.h"

namespace mpm::test {
namespace {

using monitor::sunAltitude;

constexpr std::int64_t kMinute = 60000, kHour = 60 * kMinute, kDay = 24 * kHour;

std::int64_t utc(int year, unsigned month, unsigned day, int hour = 0, int minute = 0) {
  using namespace std::chrono;
  const sys_days date = std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
  return duration_cast<milliseconds>(date.time_since_epoch()).count() + hour * kHour +
         minute * kMinute;
}

TEST(SunAltitude, IsOverheadAtTheEquatorAtAnEquinoxNoon) {
  // 20 March 2024, 03:06 UTC is the equinox; the true noon of that day at 0 east is 12:07 UTC.
  EXPECT_GT(sunAltitude(0, 0, utc(2024, 3, 20, 12, 7)), 89.5);
  EXPECT_LT(sunAltitude(0, 0, utc(2024, 3, 20, 0, 7)), -89.5);
}

TEST(SunAltitude, IsHighestOverTheTropicsAtTheSolstices) {
  // 90 degrees less the latitude, and the earth's tilt of 23.44 more or less.
  EXPECT_NEAR(sunAltitude(50, 0, utc(2024, 6, 20, 12, 2)), 40 + 23.44, 0.1);
  EXPECT_NEAR(sunAltitude(50, 0, utc(2024, 12, 21, 11, 58)), 40 - 23.44, 0.1);
}

TEST(SunAltitude, DoesNotRiseInAPolarNightNorSetInAPolarDay) {
  for (std::int64_t time = 0; time < kDay; time += 10 * kMinute) {
    EXPECT_LT(sunAltitude(70, 25, utc(2024, 12, 21) + time), 0);
    EXPECT_GT(sunAltitude(70, 25, utc(2024, 6, 21) + time), 0);
    EXPECT_GT(sunAltitude(-70, 25, utc(2024, 12, 21) + time), 0);
  }
}

struct Horizon {
  std::string name;
  double latitude, longitude;
  std::int64_t sunriseMs, sunsetMs;
};

// Almanacs count the upper limb with refraction: the sun's centre is at -0.833 degrees then.
bool isUp(const Horizon& place, std::int64_t time) {
  return sunAltitude(place.latitude, place.longitude, time) > -0.833;
}

TEST(SunAltitude, RisesAndSetsWhenAlmanacsSay) {
  const std::int64_t patience = 3 * kMinute;
  const Horizon places[] = {
      {"Berlin", 52.52, 13.405, utc(2024, 6, 21, 2, 43), utc(2024, 6, 21, 19, 33)},
      {"London", 51.5074, -0.1278, utc(2023, 12, 22, 8, 4), utc(2023, 12, 22, 15, 53)},
      {"Sydney", -33.8688, 151.2093, utc(2024, 12, 20, 18, 41), utc(2024, 12, 21, 9, 5)},
      {"New York", 40.7128, -74.006, utc(2024, 3, 20, 10, 58), utc(2024, 3, 20, 23, 8)}};
  for (const Horizon& place : places) {
    SCOPED_TRACE(place.name);
    EXPECT_FALSE(isUp(place, place.sunriseMs - patience));
    EXPECT_TRUE(isUp(place, place.sunriseMs + patience));
    EXPECT_TRUE(isUp(place, place.sunsetMs - patience));
    EXPECT_FALSE(isUp(place, place.sunsetMs + patience));
  }
}

TEST(SunAltitude, HoldsFrom1950To2100) {
  // The tilt of the earth and a year of 365.2422 days do not change by half a degree in 150 years.
  for (const int year : {1950, 1970, 2038, 2099}) {
    double highest = -90;
    for (std::int64_t time = utc(year, 6, 15); time < utc(year, 6, 28); time += kHour) {
      highest = std::max(highest, sunAltitude(45, 0, time));
    }
    EXPECT_NEAR(highest, 45 + 23.44, 0.3) << year;
  }
}

TEST(SunAltitude, IsSteadyOverTime) {
  double before = sunAltitude(48, 16, utc(2024, 1, 1));
  for (std::int64_t time = utc(2024, 1, 1); time < utc(2024, 1, 3); time += kMinute) {
    const double altitude = sunAltitude(48, 16, time);
    EXPECT_LT(std::abs(altitude - before), 0.26);  // the sky turns by a quarter degree a minute
    before = altitude;
  }
}

}  // namespace
}  // namespace mpm::test
