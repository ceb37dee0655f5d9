// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/overlays.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace mpm::gui {
namespace {

constexpr QRgb kBelow = 0xff000000, kOne = 0xff00ff00, kTwo = 0xff0000ff;

cv::Mat allOf(QRgb colour, cv::Size size) {
  cv::Mat pixels(size, CV_8UC4);
  for (int y = 0; y < size.height; ++y) std::fill_n(pixels.ptr<QRgb>(y), size.width, colour);
  return pixels;
}

cv::Mat black(cv::Size size) { return allOf(kBelow, size); }

// Class 0 left, class 1 right, class 300 (one past the looks) in the lowest row.
cv::Mat labels(int type) {
  cv::Mat made(20, 40, type, cv::Scalar(0));
  made.colRange(20, 40).setTo(1);
  made.row(19).setTo(type == CV_8U ? 200 : 300);
  return made;
}

Part partOf(cv::Size size) { return {{0, 0, 40, 20}, {40, 20}, size}; }

QRgb at(const cv::Mat& pixels, int x, int y) { return pixels.ptr<QRgb>(y)[x]; }

/// Classes 0 (kOne) and 1 (kTwo), of which the first `shown` are shown.
struct TwoClasses : ClassSettings {
  explicit TwoClasses(int shown) {
    setClasses({"one", "two"}, {{0, 255, 0}, {255, 0, 0}});
    for (int i = 0; i < 2; ++i) setVisible(i, i < shown);
  }
};

class LabelsOf : public ::testing::TestWithParam<int> {};

TEST_P(LabelsOf, PaintsWhatIsShown) {
  cv::Mat pixels = black({80, 40});
  const TwoClasses classes(1);
  paintLabels(pixels, labels(GetParam()), partOf({80, 40}), classes, 1, 0);
  EXPECT_EQ(at(pixels, 39, 10), kOne);
  EXPECT_EQ(at(pixels, 40, 10), kBelow) << "a class that is not shown";
  EXPECT_EQ(at(pixels, 5, 39), classes.colour(2).rgb()) << "a label past the classes";
}

TEST_P(LabelsOf, DrawsLinesWhereAClassIsShown) {
  cv::Mat pixels = black({40, 20});
  TwoClasses classes(2);
  classes.setSolo(0);
  paintLabels(pixels, labels(GetParam()), partOf({40, 20}), classes, 0, 1);
  EXPECT_EQ(at(pixels, 19, 5), kBelow);
  EXPECT_GT(qRed(at(pixels, 20, 5)), 200);
  EXPECT_EQ(at(pixels, 21, 5), kBelow);
  EXPECT_GT(qRed(at(pixels, 5, 19)), 200) << "a border below";
  EXPECT_EQ(at(pixels, 30, 19), kBelow) << "between two classes that are not shown";
}

TEST_P(LabelsOf, LinesAreAsWideAsAskedFor) {
  cv::Mat pixels = black({80, 40});
  paintLabels(pixels, labels(GetParam()), partOf({80, 40}), TwoClasses(2), 0, 2);
  for (int x = 38; x < 44; ++x) EXPECT_EQ(qRed(at(pixels, x, 10)) > 0, x == 40 || x == 41) << x;
  for (int y = 36; y < 40; ++y) EXPECT_EQ(qRed(at(pixels, 10, y)) > 0, y >= 38) << y;
}

TEST_P(LabelsOf, MarksDifferences) {
  cv::Mat others = labels(GetParam()).clone();
  others(cv::Rect(3, 4, 2, 1)).setTo(1);
  cv::Mat pixels = black({40, 20});
  paintDifferences(pixels, labels(GetParam()), others, partOf({40, 20}), kTwo, 1);
  int marked = 0;
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 40; ++x) marked += at(pixels, x, y) == kTwo;
  EXPECT_EQ(marked, 2);
  EXPECT_EQ(at(pixels, 4, 4), kTwo);
}

INSTANTIATE_TEST_SUITE_P(EightAndSixteenBits, LabelsOf, ::testing::Values(CV_8U, CV_16U));

constexpr QRgb kGrey = 0xff101010;

CellLook twoByTwo() {
  CellLook look;
  look.grid = {2, 2};
  look.colours = {0xff0000aa, 0xff00aa00, 0xffaa0000, 0xffaaaaaa};
  return look;
}

cv::Mat painted(const CellLook& look, double opacity, int lineWidth, cv::Size size = {40, 40},
                const QRectF& area = {0, 0, 1, 1}) {
  cv::Mat pixels = allOf(kGrey, size);
  paintCells(pixels, {{0, 0, 100, 100}, {100, 100}, size}, area, look, opacity, lineWidth);
  return pixels;
}

TEST(Cells, FillsCells) {
  const cv::Mat pixels = painted(twoByTwo(), 1, 0);
  EXPECT_EQ(at(pixels, 0, 0), 0xff0000aaU);
  EXPECT_EQ(at(pixels, 39, 19), 0xff00aa00U);
  EXPECT_EQ(at(pixels, 19, 39), 0xffaa0000U);
  EXPECT_EQ(at(pixels, 20, 20), 0xffaaaaaaU);
}

TEST(Cells, MixesEachChannelByItsOpacity) {
  for (const auto& [opacity, alpha] :
       {std::pair{-1.0, 0}, {0.0, 0}, {0.4, 102}, {0.5, 128}, {1.0, 256}, {2.0, 256}}) {
    CellLook look = twoByTwo();
    look.colours[0] = 0xff4081fe;
    const QRgb seen = at(painted(look, opacity, 0), 0, 0);
    for (int shift = 0; shift < 32; shift += 8) {
      const int under = kGrey >> shift & 255,
                over = static_cast<int>(look.colours[0] >> shift & 255);
      EXPECT_EQ(seen >> shift & 255, (under * (256 - alpha) + over * alpha) / 256) << opacity;
    }
  }
}

TEST(Cells, LinesStandOnlyBetweenGroups) {
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

TEST(Values, ColoursValuesAndHoldsOthers) {
  cv::Mat values = (cv::Mat_<float>(1, 5) << 0.F, 0.5F, 1.F, 7.F, -1.F);
  values.at<float>(0, 4) = std::numeric_limits<float>::quiet_NaN();
  cv::Mat pixels(4, 10, CV_8UC4, cv::Scalar::all(0));
  paintValues(pixels, values, {{0, 0, 50, 20}, {50, 20}, {10, 4}}, valueScale(), 1);
  for (int y = 0; y < 4; ++y) {
    const QRgb* row = pixels.ptr<QRgb>(y);
    EXPECT_EQ(row[1], valueScale()[0]);
    EXPECT_EQ(row[2], valueScale()[128]);
    EXPECT_EQ(row[5], valueScale()[255]);
    EXPECT_EQ(row[6], valueScale()[255]) << "above 1";
    EXPECT_EQ(row[9], valueScale()[0]) << "NaN";
  }
}

}  // namespace
}  // namespace mpm::gui
