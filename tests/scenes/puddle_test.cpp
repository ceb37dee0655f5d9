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

cv::Mat puddlesOf(std::uint64_t seed, double fullness, const cv::Mat& labels) {
  cv::Mat mask;
  scenes::Scene(seed, labels.size()).markPuddles(rainWith(fullness), labels, mask);
  return mask;
}

int outside(const cv::Mat& inner, const cv::Mat& outer) { return cv::countNonZero(inner & ~outer); }

TEST(Puddles, GrowWithTheWaterAndOnGroundAlone) {
  double share = 0;
  for (std::uint64_t seed = 20; seed < 30; ++seed) {
    const DrawnScene drawn = drawOnce(seed, kSize, 12 * kHourSeconds, noonLight(), rainWith(0));
    cv::Mat before = puddlesOf(seed, 0, drawn.labels);
    EXPECT_EQ(cv::countNonZero(before), 0) << seed;
    for (const double fullness : {0.25, 0.5, 1.0}) {
      const cv::Mat mask = puddlesOf(seed, fullness, drawn.labels);
      EXPECT_EQ(outside(before, mask), 0) << seed;
      EXPECT_EQ(outside(mask, groundOf(drawn.labels)), 0) << seed;
      EXPECT_GE(cv::countNonZero(mask), cv::countNonZero(before)) << seed;
      before = mask;
    }
    share += cv::countNonZero(before) / double(cv::countNonZero(groundOf(drawn.labels))) / 10;
  }
  EXPECT_GT(share, 0.05);
  EXPECT_LT(share, 0.4);
}

TEST(Puddles, MirrorWhatStandsBehindThem) {
  const Weather dry = rainWith(0), wet = rainWith(1);
  const double time = 12 * kHourSeconds;
  const DrawnScene without = drawOnce(21, kSize, time, noonLight(), dry);
  const DrawnScene with = drawOnce(21, kSize, time, noonLight(), wet);
  EXPECT_EQ(differing(with.labels, without.labels), 0);
  const cv::Mat mask = puddlesOf(21, 1, with.labels);
  cv::Mat changed, rim;
  cv::absdiff(with.picture, without.picture, changed);
  cv::cvtColor(changed, changed, cv::COLOR_BGR2GRAY);
  changed = changed > 6;
  EXPECT_GT(cv::countNonZero(changed & mask), 0.5 * cv::countNonZero(mask));
  cv::dilate(mask, rim, cv::Mat::ones(5, 5, CV_8U));
  EXPECT_LT(outside(changed, rim), 0.02 * cv::countNonZero(mask));
  // Rain trembles in them.
  const DrawnScene later = drawOnce(21, kSize, time + 0.04, noonLight(), wet);
  const DrawnScene calm = drawOnce(21, kSize, time + 0.04, noonLight(), dry);
  cv::absdiff(with.picture, later.picture, changed);
  cv::absdiff(without.picture, calm.picture, rim);
  EXPECT_GT(cv::mean(changed, mask)[1], 1.5 * cv::mean(rim, mask)[1]);
}

TEST(Puddles, LeaveNothingBehind) {
  scenes::Scene used(5, kSize);
  DrawnScene drawn;
  used.draw(3 * kHourSeconds, nightLight(), rainWith(1), drawn.picture, drawn.labels);
  EXPECT_TRUE(equal(drawn, drawOnce(5, kSize, 3 * kHourSeconds, nightLight(), rainWith(1))));
  used.draw(4 * kHourSeconds, duskLight(), rainWith(0), drawn.picture, drawn.labels);
  EXPECT_TRUE(equal(drawn, drawOnce(5, kSize, 4 * kHourSeconds, duskLight(), rainWith(0))));
}

TEST(Puddles, AreTheSamePlacesAtEverySize) {
  const DrawnScene small = drawOnce(11, {256, 256}, 15 * kHourSeconds, noonLight());
  const DrawnScene large = drawOnce(11, {512, 512}, 15 * kHourSeconds, noonLight());
  cv::Mat shrunk;
  cv::resize(puddlesOf(11, 1, large.labels), shrunk, {256, 256}, 0, 0, cv::INTER_AREA);
  const cv::Mat mask = puddlesOf(11, 1, small.labels);
  EXPECT_LT(cv::countNonZero((shrunk > 127) ^ mask), 0.15 * cv::countNonZero(mask));
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
  scenes::Camera plain(options);
  plain.shoot(9 * kHour, picture, labels);
  EXPECT_TRUE(plain.puddles().empty());
  options.puddles = true;
  scenes::Camera camera(options);
  camera.shoot(9 * kHour, wet, wetLabels);
  EXPECT_EQ(differing(labels, wetLabels), 0);
  EXPECT_GT(differing(picture, wet), 0);
  EXPECT_GT(cv::countNonZero(camera.puddles()), 0);
  // A camera that moved moves them, too.
  options.trouble = scenes::Trouble::turned;
  scenes::Camera turned(options);
  turned.shoot(9 * kHour, wet, wetLabels);
  EXPECT_EQ(differing(turned.puddles(), camera.puddles()), 0);
  turned.shoot(9 * kHour + 2 * scenes::kTroubleAfter, wet, wetLabels);
  EXPECT_GT(cv::countNonZero(turned.puddles()), 0);
  EXPECT_EQ(outside(turned.puddles(), groundOf(wetLabels)), 0);
}

}  // namespace
}  // namespace mpm::test
