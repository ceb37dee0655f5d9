// SPDX-License-Identifier: Apache-2.0
#include "monitor/light/light_steps.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace mpm::test {
namespace {

using monitor::Glance;
using monitor::Look;

Look glanceAt(const cv::Mat& picture) { return Glance().at(picture); }

TEST(Glance, OneColourHasNoContrast) {
  const Look look = glanceAt(cv::Mat(480, 640, CV_8UC3, cv::Scalar(30, 60, 90)));
  EXPECT_NEAR(look.luma, (0.114 * 30 + 0.587 * 60 + 0.299 * 90) / 255, 1e-6);
  EXPECT_NEAR(look.contrast, 0, 1e-6);
  EXPECT_NEAR(look.level, look.luma, 1e-6);
  EXPECT_NEAR(look.saturation, (90 - 30) / (90 + 25.5), 1e-6);
  EXPECT_EQ(look.change, 0);
}

TEST(Glance, HalfWhiteHalfBlackHasTheMostContrast) {
  cv::Mat picture(480, 640, CV_8UC3, cv::Scalar::all(0));
  picture.rowRange(240, 480).setTo(cv::Scalar::all(255));
  const Look look = glanceAt(picture);
  EXPECT_NEAR(look.luma, 0.5, 1e-6);
  EXPECT_NEAR(look.contrast, 0.5, 1e-6);
  EXPECT_NEAR(look.level, 1 / 3.0, 1e-3) << "of three quarters, one is white";
  EXPECT_EQ(look.saturation, 0);
}

TEST(Glance, TheBrightestQuarterIsNotInTheLevel) {
  cv::Mat picture(360, 640, CV_8UC3, cv::Scalar::all(51));
  picture(cv::Rect(0, 180, 300, 180)).setTo(cv::Scalar::all(255));
  EXPECT_NEAR(glanceAt(picture).level, 0.2, 1e-3);
}

// Seen: three quarters of a car's photographs by day were called night, whose sky is white.
TEST(Glance, ABrightSkyIsInTheLevelAndLampsInADarkOneAreNot) {
  cv::Mat picture(360, 640, CV_8UC3, cv::Scalar::all(26));
  picture(cv::Rect(0, 0, 128, 90)).setTo(cv::Scalar::all(255));
  EXPECT_NEAR(glanceAt(picture).level, 0.1, 2e-3) << "a fifth of the upper quarter";
  picture(cv::Rect(128, 0, 64, 90)).setTo(cv::Scalar::all(255));
  EXPECT_NEAR(glanceAt(picture).level, 0.46, 1e-3) << "three tenths";
}

TEST(Glance, GreyIsTheSameInOneChannelOrThree) {
  cv::Mat grey(240, 320, CV_8UC1), colour;
  cv::theRNG().state = 3;
  cv::randu(grey, 0, 255);
  cv::cvtColor(grey, colour, cv::COLOR_GRAY2BGR);
  const Look a = glanceAt(grey), b = glanceAt(colour);
  EXPECT_NEAR(a.luma, b.luma, 1e-6);
  EXPECT_NEAR(a.contrast, b.contrast, 1e-6);
  EXPECT_NEAR(a.level, b.level, 1e-6);
  EXPECT_EQ(b.saturation, 0);
}

TEST(Glance, NoiseIsNoContrast) {
  cv::Mat noise(480, 640, CV_8UC3);
  cv::theRNG().state = 5;
  cv::randn(noise, cv::Scalar::all(20), cv::Scalar::all(8));
  EXPECT_LT(glanceAt(noise).contrast, 0.006);
}

TEST(Glance, ChangeIsAgainstThePictureBefore) {
  Glance glance;
  EXPECT_EQ(glance.at(cv::Mat(72, 128, CV_8UC3, cv::Scalar::all(51))).change, 0);
  cv::Mat picture(72, 128, CV_8UC3, cv::Scalar::all(51));
  picture.colRange(0, 64).setTo(cv::Scalar::all(153));
  EXPECT_NEAR(glance.at(picture).change, 0.2, 1e-6);
  EXPECT_NEAR(glance.at(picture).change, 0, 1e-6);
}

TEST(Glance, TakesEverySizeAndPartsOfPictures) {
  cv::Mat whole(2160, 3840, CV_8UC3, cv::Scalar::all(0));
  whole(cv::Rect(100, 100, 700, 500)).setTo(cv::Scalar(40, 120, 200));
  const Look part = glanceAt(whole(cv::Rect(100, 100, 700, 500)));
  EXPECT_NEAR(part.contrast, 0, 1e-6);
  EXPECT_NEAR(part.luma, (0.114 * 40 + 0.587 * 120 + 0.299 * 200) / 255, 1e-6);
  Glance glance;
  for (const cv::Size size :
       {cv::Size(1, 1), {5, 300}, {300, 5}, {63, 35}, {65, 37}, {3840, 2160}}) {
    const Look look = glance.at(cv::Mat(size, CV_8UC3, cv::Scalar::all(102)));
    EXPECT_NEAR(look.luma, 0.4, 1e-6) << size;
    EXPECT_NEAR(look.level, 0.4, 1e-6) << size;
  }
}

}  // namespace
}  // namespace mpm::test
