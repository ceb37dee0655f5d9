// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/base_picture.h"

#include <gtest/gtest.h>

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

TEST(BasePicture, KeepsColoursAtItsOwnSize) {
  const cv::Mat picture = halves();
  QImage image;
  BasePicture().draw(picture, partOf(picture, {0, 0, 80, 60}, {80, 60}), false, image);
  EXPECT_EQ(image.pixel(0, 0), qRgb(200, 20, 10));
  EXPECT_EQ(image.pixel(79, 59), qRgb(30, 40, 220));
}

TEST(BasePicture, ScalesAPartUpAndDown) {
  const cv::Mat picture = halves();
  for (const cv::Size size : {cv::Size(160, 120), cv::Size(20, 15), cv::Size(33, 21)}) {
    QImage image;
    BasePicture().draw(picture, partOf(picture, {0, 0, 80, 60}, size), false, image);
    ASSERT_EQ(image.size(), QSize(size.width, size.height));
    EXPECT_EQ(image.pixel(1, 1), qRgb(200, 20, 10));
    EXPECT_EQ(image.pixel(size.width - 2, 1), qRgb(30, 40, 220));
  }
  QImage right;
  BasePicture().draw(picture, partOf(picture, {44, 0, 20, 60}, {50, 50}), false, right);
  EXPECT_EQ(right.pixel(0, 0), qRgb(30, 40, 220));
}

TEST(BasePicture, GreyHasNoColour) {
  const cv::Mat picture = halves();
  QImage image;
  BasePicture().draw(picture, partOf(picture, {0, 0, 80, 60}, {40, 30}), true, image);
  EXPECT_EQ(image.pixelColor(3, 3).saturation(), 0);
}

TEST(BasePicture, UsesMemoryAgain) {
  const cv::Mat picture = halves();
  const Part part = partOf(picture, {0, 0, 80, 60}, {100, 75});
  BasePicture base;
  QImage image;
  base.draw(picture, part, false, image);
  const uchar* before = image.constBits();
  base.draw(picture, part, false, image);
  EXPECT_EQ(image.constBits(), before);
}

TEST(BasePicture, MeansOfPlacesAreThoseOfTheirPixels) {
  const cv::Mat picture = halves();
  BasePicture base;
  for (const cv::Size grid : {cv::Size(4, 3), cv::Size(6, 7), cv::Size(1, 1)}) {
    const cv::Mat means = base.placeMeans(picture, grid, {0, 0, 1, 1}).clone();
    ASSERT_EQ(means.size(), grid);
    const cv::Scalar mean = cv::mean(means), wanted = cv::mean(picture);
    for (int channel = 0; channel < 3; ++channel) EXPECT_NEAR(mean[channel], wanted[channel], 1);
  }
}

TEST(BasePicture, AGridPastThePictureSeesItsBorder) {
  const cv::Mat picture = halves();
  const cv::Mat means = BasePicture().placeMeans(picture, {4, 4}, {0, 0, 2, 2}).clone();
  EXPECT_EQ(means.at<cv::Vec4b>(0, 0)[2], 200);
  EXPECT_EQ(means.at<cv::Vec4b>(3, 3)[0], 220);
  const cv::Mat beside = BasePicture().placeMeans(picture, {2, 2}, {3, 3, 1, 1}).clone();
  EXPECT_EQ(beside.size(), cv::Size(2, 2));
}

}  // namespace
}  // namespace mpm::gui
