// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/grid_painting.h"

#include <gtest/gtest.h>

namespace mpm::gui {
namespace {

constexpr QRgb kBelow = 0xff101010;

CellLook twoByTwo() {
  CellLook look;
  look.grid = {2, 2};
  look.colours = {0xff0000aa, 0xff00aa00, 0xffaa0000, 0xffaaaaaa};
  return look;
}

cv::Mat painted(const CellLook& look, double opacity, int lineWidth, cv::Size size = {40, 40},
                const QRectF& area = {0, 0, 1, 1}) {
  cv::Mat pixels(size, CV_8UC4);
  for (int y = 0; y < size.height; ++y) {
    std::fill_n(pixels.ptr<QRgb>(y), size.width, kBelow);
  }
  GridPainting().paint(pixels, {{0, 0, 100, 100}, {100, 100}, size}, area, look, opacity,
                       lineWidth);
  return pixels;
}

QRgb at(const cv::Mat& pixels, int x, int y) { return pixels.ptr<QRgb>(y)[x]; }

TEST(GridPainting, FillsCells) {
  const cv::Mat pixels = painted(twoByTwo(), 1, 0);
  EXPECT_EQ(at(pixels, 0, 0), 0xff0000aaU);
  EXPECT_EQ(at(pixels, 39, 19), 0xff00aa00U);
  EXPECT_EQ(at(pixels, 19, 39), 0xffaa0000U);
  EXPECT_EQ(at(pixels, 20, 20), 0xffaaaaaaU);
}

TEST(GridPainting, HalfOpaqueIsHalfway) {
  EXPECT_EQ(at(painted(twoByTwo(), 0.5, 0), 0, 0), qRgb(8, 8, (0x10 + 0xaa) / 2));
}

TEST(GridPainting, LinesStandOnlyBetweenGroups) {
  CellLook look = twoByTwo();
  look.groups = {0, 0, 1, 2};
  look.lines = {1, 2, 3, 4};
  const cv::Mat pixels = painted(look, 1, 2);
  EXPECT_EQ(at(pixels, 20, 5), look.colours[1]) << "one group: no line";
  EXPECT_EQ(at(pixels, 5, 20), 3U);
  EXPECT_EQ(at(pixels, 5, 21), 3U) << "as wide as asked for";
  EXPECT_EQ(at(pixels, 5, 22), look.colours[2]);
  EXPECT_EQ(at(pixels, 21, 30), 4U);
  EXPECT_EQ(at(pixels, 22, 30), look.colours[3]);
  EXPECT_EQ(at(pixels, 0, 0), look.colours[0]) << "none around the picture";
  EXPECT_EQ(at(painted(look, 1, 2, {12, 12}), 3, 6), look.colours[2])
      << "cells too small for lines";
}

TEST(GridPainting, SkippedCellsStay) {
  CellLook look = twoByTwo();
  look.skipped = {0, 1, 0, 0};
  const cv::Mat pixels = painted(look, 1, 0);
  EXPECT_EQ(at(pixels, 30, 5), kBelow);
  EXPECT_EQ(at(pixels, 5, 5), look.colours[0]);
}

TEST(GridPainting, HatchesCellsWithoutAValue) {
  CellLook look = twoByTwo();
  look.hatched = {0, 0, 0, 1};
  const cv::Mat pixels = painted(look, 1, 0);
  int striped = 0;
  for (int x = 20; x < 40; ++x) striped += at(pixels, x, 30) != look.colours[3];
  EXPECT_GT(striped, 2);
  EXPECT_LT(striped, 10);
  for (int x = 0; x < 20; ++x) EXPECT_EQ(at(pixels, x, 30), look.colours[2]);
}

TEST(GridPainting, BesideTheGridNothingIsPainted) {
  const cv::Mat pixels = painted(twoByTwo(), 1, 0, {40, 40}, {0, 0, 0.5, 0.5});
  EXPECT_EQ(at(pixels, 19, 19), 0xffaaaaaaU);
  EXPECT_EQ(at(pixels, 20, 19), kBelow);
  EXPECT_EQ(at(pixels, 19, 20), kBelow);
}

}  // namespace
}  // namespace mpm::gui
