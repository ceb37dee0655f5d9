// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/reader.h"

#include <gtest/gtest.h>

namespace mpm::monitor {
namespace {

const cv::Size kSize(5, 3);

void expectAll(const cv::Mat& picture, const cv::Vec3b& colour) {
  ASSERT_EQ(picture.type(), CV_8UC3);
  ASSERT_EQ(picture.size(), kSize);
  for (int row = 0; row < picture.rows; ++row) {
    for (int column = 0; column < picture.cols; ++column) {
      EXPECT_EQ(picture.at<cv::Vec3b>(row, column), colour);
    }
  }
}

TEST(Bgr, IsKeptWithoutACopy) {
  const cv::Mat picture(kSize, CV_8UC3, cv::Scalar(1, 2, 3));
  EXPECT_EQ(bgrOf(picture).data, picture.data);
}

TEST(Bgr, IsMadeOfGreyAndOfColourWithAlpha) {
  expectAll(bgrOf(cv::Mat(kSize, CV_8UC1, cv::Scalar(9))), {9, 9, 9});
  expectAll(bgrOf(cv::Mat(kSize, CV_8UC4, cv::Scalar(1, 2, 3, 77))), {1, 2, 3});
}

TEST(Bgr, IsMadeOfMoreThan8Bits) {
  expectAll(bgrOf(cv::Mat(kSize, CV_16UC1, cv::Scalar(65535))), {255, 255, 255});
  expectAll(bgrOf(cv::Mat(kSize, CV_16UC3, cv::Scalar(0, 257, 65535))), {0, 1, 255});
  expectAll(bgrOf(cv::Mat(kSize, CV_32FC3, cv::Scalar(0, 1, 2))), {0, 255, 255});
}

TEST(Bgr, IsNotMadeOfWhatIsNoPicture) {
  EXPECT_TRUE(bgrOf({}).empty());
  EXPECT_TRUE(bgrOf(cv::Mat(kSize, CV_8UC2, cv::Scalar::all(1))).empty());
  EXPECT_TRUE(bgrOf(cv::Mat(kSize, CV_32SC3, cv::Scalar::all(1))).empty());
  const int sizes[] = {2, 3, 4};
  EXPECT_TRUE(bgrOf(cv::Mat(3, sizes, CV_8U)).empty());
}

}  // namespace
}  // namespace mpm::monitor
