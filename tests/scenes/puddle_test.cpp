// SPDX-License-Identifier: Apache-2.0
// Puddles: where they are, that they grow and dry, and that nothing else changes with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "drawn_scene.h"
#include "hours.h"
#include "models/scenes/camera.h"

namespace mpm::test {
namespace {

using scenes::Class;
using scenes::Weather;
using scenes::WeatherKind;

const cv::Size kSize(256, 256);

Weather rainWith(double puddles) {
  Weather weather;
  weather.rain = 0.6, weather.clouds = 0.95, weather.puddles = puddles;
  return weather;
}

cv::Mat groundOf(const cv::Mat& labels) {
  return (labels == static_cast<int>(Class::road)) | (labels == static_cast<int>(Class::pavement));
}

// Where two pictures of one street differ by more than noise.
cv::Mat changedIn(const cv::Mat& one, const cv::Mat& other) {
  cv::Mat changed;
  cv::absdiff(one, other, changed);
  cv::cvtColor(changed, changed, cv::COLOR_BGR2GRAY);
  return changed > 6;
}

TEST(Puddles, MirrorWhatStandsBehindThemOnGroundAlone) {
  const double time = 12 * kHourSeconds;
  double share = 0;
  for (std::uint64_t seed = 20; seed < 30; ++seed) {
    const DrawnScene dry = drawOnce(seed, kSize, time, noonLight(), rainWith(0));
    const DrawnScene half = drawOnce(seed, kSize, time, noonLight(), rainWith(0.5));
    const DrawnScene full = drawOnce(seed, kSize, time, noonLight(), rainWith(1));
    EXPECT_EQ(differing(full.labels, dry.labels), 0) << seed;
    const cv::Mat puddles = changedIn(full.picture, dry.picture);
    EXPECT_GE(cv::countNonZero(puddles), cv::countNonZero(changedIn(half.picture, dry.picture)))
        << seed;
    cv::Mat ground = groundOf(dry.labels);
    share += cv::countNonZero(puddles & ground) / double(cv::countNonZero(ground)) / 10;
    cv::dilate(ground, ground, cv::Mat::ones(5, 5, CV_8U));
    EXPECT_LE(cv::countNonZero(puddles & ~ground), 0.03 * cv::countNonZero(puddles)) << seed;
  }
  EXPECT_GT(share, 0.03);
  EXPECT_LT(share, 0.4);
}

TEST(Puddles, LeaveNothingBehind) {
  scenes::Scene used(5, kSize);
  DrawnScene drawn;
  used.draw(3 * kHourSeconds, nightLight(), rainWith(1), drawn.picture, drawn.labels);
  EXPECT_TRUE(equal(drawn, drawOnce(5, kSize, 3 * kHourSeconds, nightLight(), rainWith(1))));
  used.draw(4 * kHourSeconds, duskLight(), rainWith(0), drawn.picture, drawn.labels);
  EXPECT_TRUE(equal(drawn, drawOnce(5, kSize, 4 * kHourSeconds, duskLight(), rainWith(0))));
}

TEST(Puddles, FillInRainAndDryBehindIt) {
  bool left = false, gone = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    double before = scenes::puddlesAt(seed, -60);
    for (double time = 0; time < 2 * kDay; time += kMinute) {
      const double fullness = scenes::puddlesAt(seed, time);
      ASSERT_GE(fullness, 0);
      ASSERT_LE(fullness, 1);
      ASSERT_LT(std::abs(fullness - before), 0.03) << "seed " << seed << ", time " << time;
      const bool rains = scenes::weatherAt(seed, time).rain > 0;
      left = left || (!rains && fullness > 0.3);
      gone = gone || (!rains && before > 0 && fullness == 0);
      before = fullness;
    }
  }
  EXPECT_TRUE(left);
  EXPECT_TRUE(gone);
  for (double time = 0; time < kDay; time += 10 * kMinute) {
    EXPECT_EQ(scenes::puddlesAt(3, time, WeatherKind::fair), 0);
    EXPECT_GT(scenes::puddlesAt(3, time, WeatherKind::rain), 0.3);
  }
}

TEST(Puddles, ACameraHasThemWhereTheyAreAskedFor) {
  scenes::CameraOptions options;
  options.seed = 21, options.size = kSize, options.weather = WeatherKind::rain;
  options.start = 9 * kHour;
  cv::Mat picture, labels, wet, wetLabels;
  scenes::Camera(options).shoot(9 * kHour, picture, labels);
  options.puddles = true;
  scenes::Camera(options).shoot(9 * kHour, wet, wetLabels);
  EXPECT_EQ(differing(labels, wetLabels), 0);
  EXPECT_GT(differing(picture, wet), 0);
}

}  // namespace
}  // namespace mpm::test
