// SPDX-License-Identifier: Apache-2.0
// The paper's night on pictures of one grey: how dark, how noisy.
#include "models/scenes/sensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <utility>

namespace mpm::test {
namespace {

using scenes::NightOptions;
using scenes::PaperNight;

double lightOf(int value) { return scenes::linearLight()[static_cast<std::size_t>(value)]; }

// Mean and variance of a dark picture's linear light.
std::pair<double, double> darkLight(const NightOptions& options, int value) {
  cv::Mat picture(400, 400, CV_8UC3, cv::Scalar::all(value));
  PaperNight(options).darken(picture, 3);
  double sum = 0, squares = 0;
  for (int i = 0; i < 400 * 400 * 3; ++i) {
    const double light = lightOf(picture.data[i]);
    sum += light, squares += light * light;
  }
  const double mean = sum / (400 * 400 * 3);
  return {mean, squares / (400 * 400 * 3) - mean * mean};
}

TEST(PaperNight, LightFallsToItsLuminosity) {
  for (const double luminosity : {0.1, 0.25, 0.8}) {
    NightOptions options;
    options.luminosity = luminosity;
    const auto [mean, variance] = darkLight(options, 200);
    EXPECT_NEAR(mean, luminosity * lightOf(200), 0.01 * luminosity) << luminosity;
  }
}

TEST(PaperNight, NoiseIsThermalAndShot) {
  NightOptions options;
  options.luminosity = 0.4;
  for (const double thermal : {0.0, 0.01, 0.03}) {
    for (const double electrons : {200.0, 2000.0}) {
      options.thermal = thermal, options.electrons = electrons;
      const double light = 0.4 * lightOf(220);
      const double variance = light / electrons + thermal * thermal;
      EXPECT_NEAR(darkLight(options, 220).second, variance, 0.05 * variance + 2e-6)
          << thermal << ", " << electrons;
    }
  }
}

TEST(PaperNight, FollowsFromSeedAndFrame) {
  const auto dark = [](std::uint64_t seed, std::uint64_t frame) {
    NightOptions options;
    options.seed = seed;
    cv::Mat picture(50, 70, CV_8UC3, cv::Scalar(90, 160, 220));
    PaperNight(options).darken(picture, frame);
    return picture;
  };
  const auto differ = [](const cv::Mat& a, const cv::Mat& b) {
    return cv::norm(a, b, cv::NORM_INF) > 0;
  };
  EXPECT_FALSE(differ(dark(1, 2), dark(1, 2)));
  EXPECT_TRUE(differ(dark(1, 2), dark(2, 2)));
  EXPECT_TRUE(differ(dark(1, 2), dark(1, 3)));
}

TEST(PaperNight, GreyPicturesToo) {
  cv::Mat picture(64, 64, CV_8U, cv::Scalar(180));
  PaperNight().darken(picture, 0);
  EXPECT_LT(cv::mean(picture)[0], 120);
  EXPECT_EQ(picture.type(), CV_8U);
  cv::Mat deep(8, 8, CV_16U, cv::Scalar(180));
  EXPECT_THROW(PaperNight().darken(deep, 0), cv::Exception);
}

TEST(PaperNight, WhatItRefuses) {
  const auto refuses = [](auto change) {
    NightOptions options;
    change(options);
    EXPECT_THROW(PaperNight{options}, std::invalid_argument);
  };
  refuses([](NightOptions& options) { options.luminosity = 0; });
  refuses([](NightOptions& options) { options.luminosity = 1.1; });
  refuses([](NightOptions& options) { options.luminosity = std::nan(""); });
  refuses([](NightOptions& options) { options.thermal = -0.1; });
  refuses([](NightOptions& options) { options.thermal = 1; });
  refuses([](NightOptions& options) { options.electrons = 0.5; });
  refuses([](NightOptions& options) { options.electrons = 1e7; });
}

}  // namespace
}  // namespace mpm::test
