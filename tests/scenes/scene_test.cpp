// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "drawn_scene.h"

namespace mpm::test {
namespace {

using scenes::Class;
using scenes::Scene;

const std::array<cv::Size, 6> kSizes = {
    {{128, 128}, {127, 131}, {320, 240}, {97, 129}, {256, 128}, {211, 173}}};

TEST(Scene, WhatWasDrawnBeforeShowsInNoPixel) {
  for (const cv::Size& size : {cv::Size(256, 256), cv::Size(191, 143)}) {
    scenes::Weather rain;
    rain.rain = 0.7, rain.clouds = 0.9;
    Scene used(5, size);
    DrawnScene drawn;
    used.draw(3 * kHourSeconds, nightLight(), rain, drawn.picture, drawn.labels);
    used.draw(12 * kHourSeconds, noonLight(), {}, drawn.picture, drawn.labels);
    used.draw(20 * kHourSeconds, duskLight(), {}, drawn.picture, drawn.labels);
    used.draw(19 * kHourSeconds, duskLight(), rain, drawn.picture, drawn.labels);
    EXPECT_TRUE(equal(drawn, drawOnce(5, size, 19 * kHourSeconds, duskLight(), rain)));
    used.draw(12 * kHourSeconds + 0.04, noonLight(), {}, drawn.picture, drawn.labels);
    EXPECT_TRUE(equal(drawn, drawOnce(5, size, 12 * kHourSeconds + 0.04, noonLight())));
    used.draw(2 * kHourSeconds, nightLight(), {}, drawn.picture, drawn.labels);
    EXPECT_TRUE(equal(drawn, drawOnce(5, size, 2 * kHourSeconds, nightLight())));
  }
}

TEST(Scene, ThreadsShowInNoPixel) {
  const int before = cv::getNumThreads();
  cv::setNumThreads(1);
  const DrawnScene one = drawOnce(8, {320, 240}, 9 * kHourSeconds, duskLight());
  cv::setNumThreads(2);
  const DrawnScene two = drawOnce(8, {320, 240}, 9 * kHourSeconds, duskLight());
  cv::setNumThreads(before);
  EXPECT_TRUE(equal(one, two));
}

TEST(Scene, AnySizeIsDrawnWhole) {
  for (const cv::Size& size : kSizes) {
    SCOPED_TRACE(cv::format("%d x %d", size.width, size.height));
    for (const scenes::Light& light : {noonLight(), nightLight()}) {
      const DrawnScene drawn = drawOnce(3, size, 11 * kHourSeconds, light);
      ASSERT_EQ(drawn.picture.size(), size);
      ASSERT_EQ(drawn.picture.type(), CV_8UC3);
      ASSERT_EQ(drawn.labels.size(), size);
      ASSERT_EQ(drawn.labels.type(), CV_8U);
      EXPECT_EQ(cv::countNonZero(drawn.labels >= scenes::kClasses), 0);
    }
  }
}

TEST(Scene, TheSamePlaceAtEverySize) {  // classes take about the same share of a larger picture
  const DrawnScene small = drawOnce(11, {256, 256}, 15 * kHourSeconds, noonLight());
  const DrawnScene large = drawOnce(11, {512, 512}, 15 * kHourSeconds, noonLight());
  cv::Mat enlarged(512, 512, CV_8U);
  for (int y = 0; y < 512; ++y) {
    for (int x = 0; x < 512; ++x) {
      enlarged.at<std::uint8_t>(y, x) = small.labels.at<std::uint8_t>(y / 2, x / 2);
    }
  }
  EXPECT_LT(differing(enlarged, large.labels), 0.03 * 512 * 512);
}

TEST(Scene, EveryClassIsSeen) {
  std::array<int, scenes::kClasses> scenesWith{};
  constexpr int kScenes = 12;
  for (int seed = 0; seed < kScenes; ++seed) {
    const bool night = seed % 3 == 2;
    const DrawnScene drawn =
        drawOnce(100 + seed, {256, 256}, (night ? 22 : 9 + seed) * kHourSeconds,
                 night ? nightLight() : noonLight());
    for (int k = 0; k < scenes::kClasses; ++k) {
      scenesWith[k] += countOf(drawn.labels, static_cast<Class>(k)) > 20;
    }
  }
  for (int k = 0; k < scenes::kClasses; ++k) {
    EXPECT_GE(scenesWith[k], 2) << scenes::kClassFacts[k].name;
  }
  for (const Class always : {Class::sky, Class::building, Class::road, Class::pavement}) {
    EXPECT_EQ(scenesWith[static_cast<int>(always)], kScenes) << static_cast<int>(always);
  }
}

TEST(Scene, EverySeedIsAnotherStreet) {
  const DrawnScene first = drawOnce(1, {128, 128}, 12 * kHourSeconds, noonLight());
  for (std::uint64_t seed = 2; seed < 14; ++seed) {
    const DrawnScene other = drawOnce(seed, {128, 128}, 12 * kHourSeconds, noonLight());
    EXPECT_GT(differing(first.labels, other.labels), 0.1 * 128 * 128) << seed;
  }
}

TEST(Scene, OutputsAreReused) {
  Scene scene(4, {160, 120});
  DrawnScene drawn;
  scene.draw(0, nightLight(), {}, drawn.picture, drawn.labels);
  const void *picture = drawn.picture.data, *labels = drawn.labels.data;
  scene.draw(9, nightLight(), {}, drawn.picture, drawn.labels);
  EXPECT_EQ(drawn.picture.data, picture);
  EXPECT_EQ(drawn.labels.data, labels);
}

TEST(Scene, MovesWithItsPlace) {
  Scene scene(4, {160, 120});
  Scene moved = std::move(scene);
  DrawnScene drawn;
  moved.draw(0, nightLight(), {}, drawn.picture, drawn.labels);
  EXPECT_TRUE(equal(drawn, drawOnce(4, {160, 120}, 0, nightLight())));
}

TEST(Scene, RefusesWhatHasNoRoom) {
  EXPECT_THROW(Scene(1, {31, 200}), std::invalid_argument);
  EXPECT_THROW(Scene(1, {200, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace mpm::test
