// SPDX-License-Identifier: Apache-2.0
// The camera as a whole: frames follow from options and time, labels stay exact, nights are dim.
#include "models/scenes/camera.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "hours.h"
#include "models/scenes/classes.h"
#include "models/scenes/scene.h"

namespace mpm::test {
namespace {

using scenes::Camera;
using scenes::CameraOptions;
using scenes::WeatherKind;

struct Shot {
  cv::Mat picture, labels;
};

Shot shoot(Camera& camera, double time) {
  Shot shot;
  camera.shoot(time, shot.picture, shot.labels);
  return shot;
}

Shot shoot(const CameraOptions& options, double time) {
  Camera camera(options);
  return shoot(camera, time);
}

CameraOptions smallCamera(WeatherKind weather = WeatherKind::fair, std::uint64_t seed = 7) {
  CameraOptions options;
  options.seed = seed;
  options.size = {192, 144};
  options.weather = weather;
  return options;
}

bool areSame(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
}

double brightness(const cv::Mat& picture) {
  const cv::Scalar mean = cv::mean(picture);
  return (mean[0] + mean[1] + mean[2]) / 3;
}

TEST(Camera, AFrameFollowsFromOptionsAndTime) {
  for (const WeatherKind weather : {WeatherKind::changing, WeatherKind::rain, WeatherKind::snow}) {
    CameraOptions options = smallCamera(weather);
    options.clock = 600;
    Camera used(options);
    for (const double hour : {3.0, 12.0, 19.5, 30.0}) shoot(used, hour * kHour);
    for (const double hour : {19.5, 3.0, 12.0 + 1.0 / 7}) {
      const Shot first = shoot(used, hour * kHour), second = shoot(options, hour * kHour);
      EXPECT_TRUE(areSame(first.picture, second.picture)) << hour;
      EXPECT_TRUE(areSame(first.labels, second.labels)) << hour;
    }
  }
}

TEST(Camera, GivesPicturesAndLabelsOfItsSize) {
  const Shot shot = shoot(smallCamera(), 13 * kHour);
  EXPECT_EQ(shot.picture.size(), cv::Size(192, 144));
  EXPECT_EQ(shot.picture.type(), CV_8UC3);
  EXPECT_EQ(shot.labels.size(), cv::Size(192, 144));
  ASSERT_EQ(shot.labels.type(), CV_8U);
  double most = 0;
  cv::minMaxLoc(shot.labels, nullptr, &most);
  EXPECT_LT(most, scenes::kClasses);
}

TEST(Camera, WithoutASensorItIsTheScene) {
  CameraOptions options = smallCamera(WeatherKind::rain);
  options.sensor = false;
  const double time = 16 * kHour;
  const Shot shot = shoot(options, time);
  scenes::Scene scene(options.seed, options.size);
  const scenes::Weather weather = scenes::weatherAt(options.seed, time, options.weather);
  cv::Mat picture, labels;
  scene.draw(time, scenes::lightAt(options.seed, time, weather), weather, picture, labels);
  EXPECT_TRUE(areSame(shot.picture, picture));
  EXPECT_TRUE(areSame(shot.labels, labels));
}

TEST(Camera, WeatherAndSensorDoNotTouchLabels) {
  for (const WeatherKind weather : {WeatherKind::rain, WeatherKind::snow, WeatherKind::fog}) {
    for (const double hour : {2.0, 14.0}) {
      CameraOptions options = smallCamera(weather);
      const Shot noisy = shoot(options, hour * kHour);
      options.sensor = false;
      const Shot ideal = shoot(options, hour * kHour);
      EXPECT_TRUE(areSame(noisy.labels, ideal.labels)) << hour;
      EXPECT_FALSE(areSame(noisy.picture, ideal.picture)) << hour;
    }
  }
}

// Of what two frames that are next to each other differ in, in the sky.
double skyNoise(Camera& camera, double time) {
  const Shot first = shoot(camera, time), second = shoot(camera, time + 0.001);
  cv::Mat difference, mean, deviation;
  cv::subtract(first.picture, second.picture, difference, cv::noArray(), CV_32F);
  cv::meanStdDev(difference, mean, deviation, first.labels == 0);
  return deviation.at<double>(1) / std::sqrt(2);
}

TEST(Camera, NightsAreDimAndNoisy) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    Camera camera(smallCamera(WeatherKind::fair, seed));
    const double noon = noonOf(seed), night = noon + kDay / 2;
    const double ratio =
        brightness(shoot(camera, night).picture) / brightness(shoot(camera, noon).picture);
    EXPECT_GT(ratio, 0.25) << "seed " << seed;
    EXPECT_LT(ratio, 0.65) << "seed " << seed;
    EXPECT_GT(skyNoise(camera, night), 2.5 * skyNoise(camera, noon)) << "seed " << seed;
    EXPECT_GT(skyNoise(camera, noon), 0.3) << "seed " << seed;
  }
}

TEST(Camera, AFastClockIsLateAtDusk) {
  CameraOptions options = smallCamera();
  const double time = sunsetOf(options.seed) + 5 * kMinute;
  const double slow = brightness(shoot(options, time).picture);
  options.clock = 1200;
  EXPECT_LT(brightness(shoot(options, time).picture), 0.85 * slow);
}

TEST(Camera, TroublesAreSeenAndLabelsStayExact) {
  CameraOptions options = smallCamera();
  const double before = options.start + 1, after = options.start + scenes::kTroubleAfter + 1;
  Camera calm(options);
  const Shot plain = shoot(calm, before), later = shoot(calm, after);
  const auto with = [&](scenes::Trouble trouble, double time) {
    options.trouble = trouble;
    return shoot(options, time);
  };
  for (const scenes::Trouble trouble :
       {scenes::Trouble::jpeg, scenes::Trouble::noise, scenes::Trouble::pumping}) {
    const Shot shot = with(trouble, before);
    EXPECT_FALSE(areSame(shot.picture, plain.picture));
    EXPECT_TRUE(areSame(shot.labels, plain.labels));
  }
  EXPECT_FALSE(areSame(with(scenes::Trouble::gale, before).labels, plain.labels));
  for (const auto& [trouble, by] :
       {std::pair(scenes::Trouble::nudged, 4), std::pair(scenes::Trouble::turned, 48)}) {
    EXPECT_TRUE(areSame(with(trouble, before).picture, plain.picture));
    const cv::Mat labels = with(trouble, after).labels;
    EXPECT_TRUE(areSame(labels.colRange(0, labels.cols - by).clone(),
                        later.labels.colRange(by, labels.cols).clone()));
  }
}

TEST(Camera, CanBeMoved) {
  Camera camera(smallCamera());
  const Shot before = shoot(camera, 9 * kHour);
  Camera moved = std::move(camera);
  EXPECT_TRUE(areSame(shoot(moved, 9 * kHour).picture, before.picture));
  Camera other(smallCamera(WeatherKind::fair, 8));
  other = std::move(moved);
  EXPECT_TRUE(areSame(shoot(other, 9 * kHour).picture, before.picture));
}

TEST(Camera, RefusesImpossibleOptions) {
  for (const cv::Size& size : {cv::Size(0, 0), cv::Size(63, 100), cv::Size(100, 63),
                               cv::Size(4097, 100), cv::Size(-5, 100)}) {
    CameraOptions options;
    options.size = size;
    EXPECT_THROW(Camera{options}, std::invalid_argument) << size;
  }
  CameraOptions options = smallCamera();
  options.clock = 0;
  EXPECT_THROW(Camera{options}, std::invalid_argument);
}

}  // namespace
}  // namespace mpm::test
