// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/pictures.h"

#include <gtest/gtest.h>

#include <QColor>
#include <cmath>
#include <limits>

namespace mpm::gui {
namespace {

cv::Mat halves() {
  cv::Mat picture(60, 80, CV_8UC3, cv::Scalar(10, 20, 200));
  picture.colRange(40, 80).setTo(cv::Scalar(220, 40, 30));
  return picture;
}

Part partOf(const cv::Mat& picture, cv::Rect area, cv::Size size) {
  return {area, picture.size(), size};
}

TEST(Pictures, KeepsColoursAtItsOwnSize) {
  const cv::Mat picture = halves();
  QImage image;
  drawPicture(picture, partOf(picture, {0, 0, 80, 60}, {80, 60}), false, image);
  EXPECT_EQ(image.pixel(0, 0), qRgb(200, 20, 10));
  EXPECT_EQ(image.pixel(79, 59), qRgb(30, 40, 220));
}

TEST(Pictures, ScalesAPartUpAndDown) {
  const cv::Mat picture = halves();
  for (const cv::Size size : {cv::Size(160, 120), cv::Size(20, 15), cv::Size(33, 21)}) {
    QImage image;
    drawPicture(picture, partOf(picture, {0, 0, 80, 60}, size), false, image);
    ASSERT_EQ(image.size(), QSize(size.width, size.height));
    EXPECT_EQ(image.pixel(1, 1), qRgb(200, 20, 10));
    EXPECT_EQ(image.pixel(size.width - 2, 1), qRgb(30, 40, 220));
  }
  QImage right;
  drawPicture(picture, partOf(picture, {44, 0, 20, 60}, {50, 50}), false, right);
  EXPECT_EQ(right.pixel(0, 0), qRgb(30, 40, 220));
}

TEST(Pictures, GreyHasNoColour) {
  const cv::Mat picture = halves();
  QImage image;
  drawPicture(picture, partOf(picture, {0, 0, 80, 60}, {40, 30}), true, image);
  EXPECT_EQ(image.pixelColor(3, 3).saturation(), 0);
}

TEST(Pictures, MeansOfPlacesAreThoseOfTheirPixels) {
  const cv::Mat picture = halves();
  for (const cv::Size grid : {cv::Size(4, 3), cv::Size(6, 7), cv::Size(1, 1)}) {
    const cv::Mat means = placeMeans(picture, grid, {0, 0, 1, 1});
    ASSERT_EQ(means.size(), grid);
    const cv::Scalar mean = cv::mean(means), wanted = cv::mean(picture);
    for (int channel = 0; channel < 3; ++channel) EXPECT_NEAR(mean[channel], wanted[channel], 1);
  }
}

TEST(Pictures, AGridPastThePictureSeesItsBorder) {
  const cv::Mat picture = halves();
  const cv::Mat means = placeMeans(picture, {4, 4}, {0, 0, 2, 2});
  EXPECT_EQ(means.at<cv::Vec4b>(0, 0)[2], 200);
  EXPECT_EQ(means.at<cv::Vec4b>(3, 3)[0], 220);
  const cv::Mat beside = placeMeans(picture, {2, 2}, {3, 3, 1, 1});
  EXPECT_EQ(beside.size(), cv::Size(2, 2));
}

double linear(int channel) { return std::pow(channel / 255.0, 2.2); }

double luminance(QRgb colour) {
  return 0.2126 * linear(qRed(colour)) + 0.7152 * linear(qGreen(colour)) +
         0.0722 * linear(qBlue(colour));
}

TEST(ColourScale, GetsLighterAllAlong) {
  for (const ColourScale* scale : {&valueScale(), &countScale()}) {
    for (std::size_t i = 16; i < scale->size(); i += 16) {
      EXPECT_GT(luminance((*scale)[i]), luminance((*scale)[i - 16])) << i;
    }
    EXPECT_GT(luminance(scale->back()) - luminance(scale->front()), 0.5);
  }
}

TEST(ColourScale, EndsHoldWhatIsOutside) {
  const ColourScale& scale = valueScale();
  EXPECT_EQ(colourAt(scale, -3), scale.front());
  EXPECT_EQ(colourAt(scale, 7), scale.back());
  EXPECT_EQ(colourAt(scale, std::numeric_limits<double>::quiet_NaN()), scale.front());
  EXPECT_EQ(colourAt(scale, 0.5), scale[128]);
}

}  // namespace
}  // namespace mpm::gui
