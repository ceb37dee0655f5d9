// SPDX-License-Identifier: Apache-2.0
// A day of the drawn street, ten minutes in a second: what the meter makes of it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

#include "models/scenes/camera.h"
#include "models/scenes/light.h"
#include "monitor/light/light_meter.h"

namespace mpm::test {
namespace {

using namespace monitor;
using scenes::WeatherKind;

constexpr double kClock = 600, kFps = 3, kDaySeconds = 86400;

struct DayReport {
  LightState noon = LightState::transition, midnight = LightState::transition;
  int changes = 0;
  int strange = 0;      // frames that are infrared or no signal
  bool between = true;  // whether day and night never met
  std::string text;
};

// From noon to noon, so that the night is whole.
DayReport watchDay(std::uint64_t seed, WeatherKind weather) {
  scenes::CameraOptions options;
  options.seed = seed;
  options.size = {128, 80};
  options.clock = kClock;
  options.weather = weather;
  scenes::Camera camera(options);
  LightMeter meter;
  DayReport report;
  cv::Mat picture, labels;
  LightState before = LightState::transition;
  double highest = -2, lowest = 2;
  for (int frame = 0; frame < kDaySeconds / kClock * kFps; ++frame) {
    const double time = kDaySeconds / 2 + frame / kFps * kClock;
    camera.shoot(time, picture, labels);
    Moment taken;
    taken.steadyMs = taken.utcMs = static_cast<std::int64_t>(frame * 1000 / kFps);
    const LightState state = meter.update(picture, taken).state;
    const double height = scenes::sunAt(seed, time).height;
    if (frame > 8 * kFps && height > highest) highest = height, report.noon = state;
    if (height < lowest) lowest = height, report.midnight = state;
    report.strange += state == LightState::infrared || state == LightState::noSignal;
    if (state == before) continue;
    const bool met = (before == LightState::day && state == LightState::night) ||
                     (before == LightState::night && state == LightState::day);
    report.between = report.between && !met;
    report.changes += before != LightState::transition || frame > 8 * kFps;
    report.text += cv::format(" %.1f %s", std::fmod(time / 3600, 24.0), nameOf(state).data());
    before = state;
  }
  return report;
}

TEST(DrawnStreet, HasADayAndANightInFairWeather) {
  for (const std::uint64_t seed : {5, 7, 11, 42}) {
    const DayReport report = watchDay(seed, WeatherKind::fair);
    SCOPED_TRACE("seed " + std::to_string(seed) + ":" + report.text);
    EXPECT_EQ(report.noon, LightState::day);
    EXPECT_EQ(report.midnight, LightState::night);
    EXPECT_EQ(report.strange, 0);
    EXPECT_TRUE(report.between);
    EXPECT_LE(report.changes, 8);
  }
}

TEST(DrawnStreet, IsSeenInEveryWeather) {
  const std::pair<WeatherKind, const char*> weathers[] = {{WeatherKind::changing, "changing"},
                                                          {WeatherKind::rain, "rain"},
                                                          {WeatherKind::snow, "snow"},
                                                          {WeatherKind::fog, "fog"}};
  for (const auto& [weather, name] : weathers) {
    const DayReport report = watchDay(7, weather);
    std::cout << name << ":" << report.text << "\n";
    SCOPED_TRACE(std::string(name) + report.text);
    EXPECT_EQ(report.noon, LightState::day);
    EXPECT_EQ(report.midnight, LightState::night);
    EXPECT_EQ(report.strange, 0);
    EXPECT_LE(report.changes, 8);
  }
}

}  // namespace
}  // namespace mpm::test
