// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/greenness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace mpm::monitor {
namespace {

const Zone kLeft{"left", {{0, 0}, {0.5, 0}, {0.5, 1}, {0, 1}}};

TEST(Greenness, IsGreenOfTheMeans) {
  cv::Mat picture(10, 20, CV_8UC3, cv::Scalar(60, 120, 60));
  picture.colRange(10, 20).setTo(cv::Scalar(200, 100, 100));
  const std::vector<double> found = Greenness({kLeft}).measure(picture);
  ASSERT_EQ(found.size(), 2U);
  // Means first: 110 of 130, 110 and 80. The mean of both sides' ratios would be 0.375.
  EXPECT_DOUBLE_EQ(found[0], 110.0 / 320);
  EXPECT_DOUBLE_EQ(found[1], 0.5);
}

TEST(Greenness, OfDarkAndOfBrightPicturesIsUnknown) {
  Greenness greenness({kLeft});
  for (const int level : {0, 33, 222, 255}) {
    for (const double value : greenness.measure(cv::Mat(8, 8, CV_8UC3, cv::Scalar::all(level)))) {
      EXPECT_TRUE(std::isnan(value)) << level;
    }
  }
  EXPECT_DOUBLE_EQ(greenness.measure(cv::Mat(8, 8, CV_8UC3, cv::Scalar::all(34)))[1], 1.0 / 3);
}

TEST(Greenness, OfAZoneThatLeftThePictureIsUnknown) {
  Greenness greenness({kLeft});
  Zone away = kLeft;
  for (cv::Point2d& corner : away.corners) corner.x -= 0.75;
  greenness.place({away});
  const std::vector<double> found = greenness.measure(cv::Mat(8, 8, CV_8UC3, cv::Scalar::all(100)));
  EXPECT_FALSE(std::isnan(found[0]));
  EXPECT_TRUE(std::isnan(found[1]));
}

TEST(Greenness, NeedsColours) {
  EXPECT_THROW(Greenness({}).measure(cv::Mat(8, 8, CV_8U, cv::Scalar(9))), std::invalid_argument);
}

}  // namespace
}  // namespace mpm::monitor
