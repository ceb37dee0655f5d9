// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/brush.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "models/scenes/chance.h"

namespace mpm::scenes {
namespace {

constexpr int kSide = 40, kFine = 16;  // of the picture; places looked at along a pixel's side

// Corners around a middle, which is inside: a shape that does not cross itself.
Outline randomShape(const Chance& chance, double reach) {
  const cv::Point2d middle(chance.between(0, 0, kSide), chance.between(1, 0, kSide));
  const int corners = 3 + chance.below(2, 9);
  Outline outline;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * CV_PI * (i + chance.between(20 + i, 0, 0.8)) / corners;
    const double r = chance.between(60 + i, 0.3, reach);
    outline.emplace_back(middle.x + r * std::cos(angle), middle.y + r * std::sin(angle));
  }
  if (chance.happens(3, 0.5)) std::reverse(outline.begin(), outline.end());
  return outline;
}

bool isInside(const Outline& outline, cv::Point2d p) {
  bool inside = false;
  for (std::size_t i = 0, j = outline.size() - 1; i < outline.size(); j = i++) {
    const cv::Point2d &a = outline[i], &b = outline[j];
    if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) {
      inside = !inside;
    }
  }
  return inside;
}

double shareInside(const Outline& outline, int x, int y) {
  int inside = 0;
  for (int i = 0; i < kFine * kFine; ++i) {
    inside += isInside(outline, {x + (i % kFine + 0.5) / kFine, y + (i / kFine + 0.5) / kFine});
  }
  return static_cast<double>(inside) / (kFine * kFine);
}

TEST(Coverage, IsTheShareOfEachPixel) {
  const cv::Rect whole(0, 0, kSide, kSide);
  Coverage coverage;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Outline outline = randomShape(Chance(seed), seed % 3 == 0 ? 2.5 : 17);
    const bool any = coverage.cover(outline, whole);
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const bool listed = any && coverage.area().contains(cv::Point(x, y));
        const double share = listed ? coverage.row(y)[x - coverage.area().x] / 255.0 : 0;
        ASSERT_NEAR(share, shareInside(outline, x, y), 0.05) << x << ", " << y;
      }
    }
  }
}

TEST(Coverage, SumsUpToTheArea) {
  Coverage coverage;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Outline outline = randomShape(Chance(seed, 1), 15);
    for (cv::Point2d& p : outline) p = p * 0.4 + cv::Point2d(12, 12);  // well inside
    ASSERT_TRUE(coverage.cover(outline, {0, 0, kSide, kSide}));
    double sum = 0, area = 0;
    for (int y = 0; y < coverage.area().height; ++y) {
      for (int x = 0; x < coverage.area().width; ++x) {
        sum += coverage.row(coverage.area().y + y)[x] / 255.0;
      }
    }
    for (std::size_t i = 0; i < outline.size(); ++i) {
      area += outline[i].cross(outline[(i + 1) % outline.size()]) / 2;
    }
    EXPECT_NEAR(sum, std::abs(area), 0.02 * std::abs(area) + 0.1);
  }
}

TEST(Coverage, OutsideThereIsNothing) {
  Coverage coverage;
  EXPECT_FALSE(coverage.cover(box(-20, 3, -1, 9), {0, 0, kSide, kSide}));
  EXPECT_FALSE(coverage.cover(box(3, 50, 9, 60), {0, 0, kSide, kSide}));
  EXPECT_FALSE(coverage.cover({{1, 1}, {5, 5}}, {0, 0, kSide, kSide}));
  ASSERT_TRUE(coverage.cover(box(-1e4, -1e4, 1e4, 1e4), {0, 0, kSide, kSide}));
  EXPECT_EQ(coverage.area(), cv::Rect(0, 0, kSide, kSide));
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) ASSERT_EQ(coverage.row(y)[x], 255) << x << ", " << y;
  }
}

}  // namespace
}  // namespace mpm::scenes
