// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/brush.h"

#include <gtest/gtest.h>

#include <cmath>

#include "models/scenes/chance.h"

namespace mpm::scenes {
namespace {

constexpr int kSide = 64;

struct Sheet {
  cv::Mat picture = cv::Mat(kSide, kSide, CV_8UC4, cv::Scalar(0, 0, 0, 255));
  cv::Mat labels = cv::Mat::zeros(kSide, kSide, CV_8U);
};

Outline randomShape(const Chance& chance) {
  const cv::Point2d a(chance.between(0, -5, kSide + 5), chance.between(1, -5, kSide + 5));
  const cv::Point2d b(chance.between(2, -5, kSide + 5), chance.between(3, -5, kSide + 5));
  const double size = chance.between(4, 0.4, 14);
  switch (chance.below(5, 4)) {
    case 0:
      return ellipse(a, size, chance.between(6, 0.4, 14));
    case 1:
      return stroke(a, b, size, chance.between(6, 0.4, 14));
    case 2:
      return box(a.x, a.y, a.x + size, a.y + 2 * size);
    default:
      return smooth({a, {b.x, a.y}, b}, 4);
  }
}

// White on black: the picture's brightness is the share that objects cover.
TEST(Brush, LabelsAreWhereMostOfAPixelIsCovered) {
  int edges = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Chance chance(seed, 9);
    Sheet sheet;
    Brush brush;
    brush.aim(sheet.picture, sheet.labels);
    brush.begin(Class::car);
    const int shapes = 1 + chance.below(0, 4);
    for (int i = 0; i < shapes; ++i) brush.fill(randomShape(chance.stream(i)), {1, 1, 1});
    brush.end();
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const double share = sheet.picture.at<cv::Vec4b>(y, x)[1] / 255.0;
        const bool labelled = sheet.labels.at<std::uint8_t>(y, x) == static_cast<int>(Class::car);
        if (std::abs(share - 0.5) > 0.02) {
          ASSERT_EQ(labelled, share > 0.5) << x << ", " << y << ": " << share;
        }
        edges += share > 0.05 && share < 0.95;
      }
    }
  }
  EXPECT_GT(edges, 1000);  // anti-aliased at all
}

TEST(Brush, TwoHalvesOfAnObjectAreAWhole) {
  Sheet sheet;
  Brush brush;
  brush.aim(sheet.picture, sheet.labels);
  brush.begin(Class::person);
  brush.fill(box(10, 10, 20.4, 20), {1, 0, 0});
  brush.fill(box(20.6, 10, 30, 20), {1, 0, 0});
  brush.end();
  EXPECT_EQ(sheet.labels.at<std::uint8_t>(15, 20), static_cast<int>(Class::person));
  EXPECT_EQ(cv::countNonZero(sheet.labels), 20 * 10);
}

TEST(Brush, ShadowLeavesLabelsAlone) {
  Sheet sheet;
  Brush brush;
  brush.aim(sheet.picture, sheet.labels);
  brush.begin(Class::car);
  brush.fill(box(8, 8, 40, 40), {0.2, 0.4, 0.6});
  brush.end();
  const cv::Mat before = sheet.labels.clone();
  brush.fill(box(0, 0, kSide, kSide), {0, 0, 0}, 0.4);
  EXPECT_EQ(cv::countNonZero(before != sheet.labels), 0);
  EXPECT_NEAR(sheet.picture.at<cv::Vec4b>(38, 38)[2], 0.6 * 0.6 * 255, 2);
}

TEST(Brush, LaterObjectsHideEarlierOnes) {
  Sheet sheet;
  Brush brush;
  brush.aim(sheet.picture, sheet.labels);
  brush.begin(Class::car);
  brush.fill(box(5, 5, 30, 30), {1, 0, 0});
  brush.end();
  brush.begin(Class::person);
  brush.fill(box(10, 0, 15, 40), {0, 0, 1});
  brush.end();
  EXPECT_EQ(sheet.labels.at<std::uint8_t>(20, 12), static_cast<int>(Class::person));
  EXPECT_EQ(sheet.labels.at<std::uint8_t>(20, 8), static_cast<int>(Class::car));
  EXPECT_EQ(sheet.labels.at<std::uint8_t>(20, 50), static_cast<int>(Class::sky));
}

TEST(Brush, MaterialsFollowTheShapes) {
  Sheet sheet;
  cv::Mat materials = cv::Mat::zeros(kSide, kSide, CV_16U);
  Brush brush;
  brush.aim(sheet.picture, sheet.labels, materials);
  brush.setMaterial(7);
  brush.fill(box(4, 4, 20.4, 20.6), {1, 1, 1});
  brush.setMaterial(300);
  brush.fill(box(8, 8, 12, 12), {1, 1, 1});
  EXPECT_EQ(materials.at<std::uint16_t>(5, 5), 7);
  EXPECT_EQ(materials.at<std::uint16_t>(9, 9), 300);
  EXPECT_EQ(materials.at<std::uint16_t>(20, 10), 7);  // 0.6 of it
  EXPECT_EQ(materials.at<std::uint16_t>(10, 20), 0);  // 0.4 of it
}

}  // namespace
}  // namespace mpm::scenes
