// SPDX-License-Identifier: Apache-2.0
// Drops and flakes: none by fair weather, the more the heavier, flakes that fall from frame to
// frame.
#include "models/scenes/sensor.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>

#include "models/scenes/light.h"

namespace mpm::test {
namespace {

using scenes::Light;
using scenes::Weather;

Light overcastNoon() {
  Light light;
  light.ambient = {0.8, 0.8, 0.8};
  light.horizon = {0.85, 0.85, 0.85};
  return light;
}

cv::Mat drawn(const Weather& weather, double seconds, cv::Size size = {320, 240}, int grey = 80) {
  cv::Mat picture(size, CV_8UC3, cv::Scalar::all(grey));
  scenes::drawPrecipitation(picture, overcastNoon(), weather, 5, seconds);
  return picture;
}

Weather rain(double strength) {
  Weather weather;
  weather.rain = strength;
  return weather;
}

Weather snow(double strength) {
  Weather weather;
  weather.snow = strength;
  return weather;
}

// Share of the pixels that are clearly brighter than most.
double brightShare(const cv::Mat& picture) {
  cv::Mat channel;
  cv::extractChannel(picture, channel, 1);
  const double mean = cv::mean(channel)[0];
  return cv::countNonZero(channel > mean + 10) / static_cast<double>(picture.total());
}

double meanDifference(const cv::Mat& a, const cv::Mat& b) {
  return cv::norm(a, b, cv::NORM_L1) / static_cast<double>(a.total() * 3);
}

TEST(Precipitation, FairWeatherLeavesThePictureAsItIs) {
  const cv::Mat plain(240, 320, CV_8UC3, cv::Scalar::all(80));
  EXPECT_EQ(cv::norm(drawn(Weather{}, 3), plain, cv::NORM_INF), 0);
}

TEST(Precipitation, TheHeavierTheMore) {
  for (const auto& weather : {rain, snow}) {
    const double light = brightShare(drawn(weather(0.2), 3));
    const double heavy = brightShare(drawn(weather(1), 3));
    EXPECT_GT(light, 0.001);
    EXPECT_GT(heavy, 2.5 * light);
    EXPECT_LT(heavy, 0.35);
  }
}

// Slanting streaks and flakes are as long and as bright as upright ones.
TEST(Precipitation, WindThinsNothingOut) {
  for (const auto& weather : {rain, snow}) {
    Weather calm = weather(1), storm = weather(1);
    calm.wind = 0, storm.wind = 1;
    const double upright = cv::mean(drawn(calm, 3, {640, 480}))[1] - 80;
    EXPECT_GT(cv::mean(drawn(storm, 3, {640, 480}))[1] - 80, 0.95 * upright);
  }
}

TEST(Precipitation, FollowsFromItsTime) {
  for (const auto& weather : {rain, snow}) {
    EXPECT_EQ(cv::norm(drawn(weather(0.7), 12.25), drawn(weather(0.7), 12.25), cv::NORM_INF), 0);
    EXPECT_GT(meanDifference(drawn(weather(0.7), 12.25), drawn(weather(0.7), 14.5)), 1);
  }
}

TEST(Precipitation, FlakesFallAndDropsFlash) {
  constexpr double kFrame = 1.0 / 240;
  const auto change = [&](const Weather& weather) {
    const double next = meanDifference(drawn(weather, 5), drawn(weather, 5 + kFrame));
    return next / meanDifference(drawn(weather, 5), drawn(weather, 9));
  };
  EXPECT_LT(change(snow(1)), 0.6);
  EXPECT_GT(change(rain(1)), 0.8);
}

// By how much drops and flakes brighten a picture on the whole; its veil is in both sizes.
TEST(Precipitation, CoversSizesAlike) {
  for (const auto& weather : {rain, snow}) {
    const double small = cv::mean(drawn(weather(1), 3, {320, 240}))[1] - 80;
    const double large = cv::mean(drawn(weather(1), 3, {1280, 960}))[1] - 80;
    EXPECT_NEAR(large, small, 0.2 * small);
  }
}

}  // namespace
}  // namespace mpm::test
