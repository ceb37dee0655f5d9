// SPDX-License-Identifier: Apache-2.0
// Pixels: the camera's picture at any size, and what is painted over it.
#include "gui/canvas/overlays.h"

#include <gtest/gtest.h>

#include <QtWidgets>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "gui/canvas/class_settings.h"

namespace mpm::gui {
namespace {

cv::Mat halves() {
  cv::Mat picture(60, 80, CV_8UC3, cv::Scalar(10, 20, 200));
  picture.colRange(40, 80).setTo(cv::Scalar(220, 40, 30));
  return picture;
}

TEST(Pictures, AreScaledInPartsUpAndDownAndGreyWhereTheyAreToBe) {
  const cv::Mat picture = halves();
  QImage image;
  for (const cv::Size size :
       {cv::Size(80, 60), cv::Size(160, 120), cv::Size(20, 15), cv::Size(33, 21)}) {
    drawPicture(picture, {{0, 0, 80, 60}, {80, 60}, size}, false, image);
    ASSERT_EQ(image.size(), QSize(size.width, size.height));
    EXPECT_EQ(image.pixel(1, 1), qRgb(200, 20, 10));
    EXPECT_EQ(image.pixel(size.width - 2, 1), qRgb(30, 40, 220));
    drawPicture(picture, {{0, 0, 80, 60}, {80, 60}, size}, true, image);
    EXPECT_EQ(image.pixelColor(1, 1).saturation(), 0);
  }
  drawPicture(picture, {{44, 0, 20, 60}, {80, 60}, {50, 50}}, false, image);
  EXPECT_EQ(image.pixel(0, 0), qRgb(30, 40, 220));
}

TEST(Pictures, MeansOfPlacesAreThoseOfTheirPixelsAndPastThePictureItsBorders) {
  const cv::Mat picture = halves();
  for (const cv::Size grid : {cv::Size(4, 3), cv::Size(6, 7), cv::Size(1, 1)}) {
    const cv::Mat means = placeMeans(picture, grid, {0, 0, 1, 1});
    ASSERT_EQ(means.size(), grid);
    const cv::Scalar mean = cv::mean(means), wanted = cv::mean(picture);
    for (int channel = 0; channel < 3; ++channel) EXPECT_NEAR(mean[channel], wanted[channel], 1);
  }
  const cv::Mat means = placeMeans(picture, {4, 4}, {0, 0, 2, 2});
  EXPECT_EQ(means.at<cv::Vec4b>(0, 0)[2], 200);
  EXPECT_EQ(means.at<cv::Vec4b>(3, 3)[0], 220);
  EXPECT_EQ(placeMeans(picture, {2, 2}, {3, 3, 1, 1}).size(), cv::Size(2, 2));
}

TEST(ColourScale, GetsLighterAllAlongAndEndsHoldWhatIsOutside) {
  const auto linear = [](int channel) { return std::pow(channel / 255.0, 2.2); };
  const auto luminance = [&](QRgb colour) {
    return 0.2126 * linear(qRed(colour)) + 0.7152 * linear(qGreen(colour)) +
           0.0722 * linear(qBlue(colour));
  };
  for (const ColourScale* scale : {&valueScale(), &countScale()}) {
    for (std::size_t i = 16; i < scale->size(); i += 16)
      EXPECT_GT(luminance((*scale)[i]), luminance((*scale)[i - 16])) << i;
    EXPECT_GT(luminance(scale->back()) - luminance(scale->front()), 0.5);
    for (const auto& [value, place] :
         {std::pair(-3.0, 0U), {7.0, 255U}, {std::nan(""), 0U}, {0.5, 128U}})
      EXPECT_EQ(colourAt(*scale, value), (*scale)[place]) << value;
  }
}

constexpr QRgb kBelow = 0xff101010, kOne = 0xff00ff00, kTwo = 0xff0000ff;

cv::Mat canvas(cv::Size size) {
  cv::Mat pixels(size, CV_8UC4);
  for (int y = 0; y < size.height; ++y) std::fill_n(pixels.ptr<QRgb>(y), size.width, kBelow);
  return pixels;
}

QRgb at(const cv::Mat& pixels, int x, int y) { return pixels.ptr<QRgb>(y)[x]; }

class LabelsOf : public ::testing::TestWithParam<int> {
 protected:
  LabelsOf() { classes_.setClasses({"one", "two"}, {{0, 255, 0}, {255, 0, 0}}); }
  // Returns class 0 left, class 1 right, and a value beyond the classes in the lowest row.
  static cv::Mat labels() {
    cv::Mat made(20, 40, GetParam(), cv::Scalar(0));
    made.colRange(20, 40).setTo(1);
    made.row(19).setTo(GetParam() == CV_8U ? 200 : 300);
    return made;
  }
  cv::Mat painted(int scale, double opacity, int lineWidth) const {
    cv::Mat pixels = canvas({40 * scale, 20 * scale});
    paintLabels(pixels, labels(), {{0, 0, 40, 20}, {40, 20}, pixels.size()}, classes_, opacity,
                lineWidth);
    return pixels;
  }
  ClassSettings classes_;
};

TEST_P(LabelsOf, EightAndSixteenBitsArePaintedWhereTheirClassIsShownWithLines) {
  cv::Mat pixels = painted(2, 0, 2);
  const auto isLine = [&](int x, int y) { return at(pixels, x, y) != kBelow; };
  for (int x = 38; x < 44; ++x) EXPECT_EQ(isLine(x, 10), x == 40 || x == 41) << x;
  for (int y = 36; y < 40; ++y) EXPECT_EQ(isLine(10, y), y >= 38) << y;
  classes_.setVisible(1, false);
  pixels = painted(2, 1, 0);
  EXPECT_EQ(at(pixels, 39, 10), kOne);
  EXPECT_EQ(at(pixels, 40, 10), kBelow) << "a class that is not shown";
  EXPECT_EQ(at(pixels, 5, 39), classes_.colour(2).rgb()) << "a label past the classes";
  classes_.setSolo(0);
  pixels = painted(1, 0, 1);
  for (const auto& [x, y, line] :
       {std::tuple(19, 5, false), {20, 5, true}, {21, 5, false}, {5, 19, true}, {30, 19, false}})
    EXPECT_EQ(isLine(x, y), line) << x << ' ' << y;
}

TEST_P(LabelsOf, DifferencesAreMarked) {
  cv::Mat others = labels(), pixels = canvas({40, 20});
  others(cv::Rect(3, 4, 2, 1)).setTo(1);
  paintDifferences(pixels, labels(), others, {{0, 0, 40, 20}, {40, 20}, {40, 20}}, kTwo, 1);
  int marked = 0;
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 40; ++x) marked += at(pixels, x, y) == kTwo;
  EXPECT_EQ(marked, 2);
  EXPECT_EQ(at(pixels, 4, 4), kTwo);
}

INSTANTIATE_TEST_SUITE_P(EightAndSixteenBits, LabelsOf, ::testing::Values(CV_8U, CV_16U));

CellLook twoByTwo() {
  CellLook look;
  look.grid = {2, 2};
  look.colours = {0xff4081fe, 0xff00aa00, 0xffaa0000, 0xffaaaaaa};
  return look;
}

cv::Mat painted(const CellLook& look, double opacity, int lineWidth, cv::Size size = {40, 40}) {
  cv::Mat pixels = canvas(size);
  paintCells(pixels, {{0, 0, 100, 100}, {100, 100}, size}, {0, 0, 1, 1}, look, opacity, lineWidth);
  return pixels;
}

TEST(Cells, MixEachChannelByItsOpacity) {
  const CellLook look = twoByTwo();
  for (const auto& [opacity, alpha] :
       {std::pair{-1.0, 0}, {0.0, 0}, {0.4, 102}, {0.5, 128}, {1.0, 256}, {2.0, 256}}) {
    const QRgb seen = at(painted(look, opacity, 0), 0, 0);
    for (int shift = 0; shift < 32; shift += 8) {
      const int under = kBelow >> shift & 255,
                over = static_cast<int>(look.colours[0] >> shift & 255);
      EXPECT_EQ(seen >> shift & 255, (under * (256 - alpha) + over * alpha) / 256) << opacity;
    }
  }
}

TEST(Cells, AreFilledWithLinesOnlyBetweenGroups) {
  CellLook look = twoByTwo();
  look.groups = {0, 0, 1, 2};
  look.lines = {1, 2, 3, 4};
  const cv::Mat pixels = painted(look, 1, 2), small = painted(look, 1, 2, {12, 12});
  const struct {
    const char* what;
    const cv::Mat& pixels;
    int x, y;
    QRgb colour;
  } cases[]{{"none around the picture", pixels, 0, 0, look.colours[0]},
            {"the end of a cell", pixels, 39, 19, look.colours[1]},
            {"one group: no line", pixels, 20, 5, look.colours[1]},
            {"a line", pixels, 5, 20, 3},
            {"as wide as asked for", pixels, 5, 21, 3},
            {"and no wider", pixels, 5, 22, look.colours[2]},
            {"between columns", pixels, 21, 30, 4},
            {"and no wider", pixels, 22, 30, look.colours[3]},
            {"cells too small for lines", small, 3, 6, look.colours[2]}};
  for (const auto& one : cases) EXPECT_EQ(at(one.pixels, one.x, one.y), one.colour) << one.what;
}

TEST(Values, ColoursValuesAndHoldsOthers) {
  const cv::Mat values = (cv::Mat_<float>(1, 5) << 0.F, 0.5F, 1.F, 7.F, std::nanf(""));
  cv::Mat pixels(4, 10, CV_8UC4, cv::Scalar::all(0));
  paintValues(pixels, values, {{0, 0, 50, 20}, {50, 20}, {10, 4}}, valueScale(), 1);
  for (int y = 0; y < 4; ++y)
    for (const auto& [x, place] : {std::pair(1, 0U), {2, 128U}, {5, 255U}, {6, 255U}, {9, 0U}})
      EXPECT_EQ(at(pixels, x, y), valueScale()[place]) << x;
}

}  // namespace
}  // namespace mpm::gui
