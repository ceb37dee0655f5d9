// SPDX-License-Identifier: Apache-2.0
#include "segment/pictures.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

const cv::Vec3b kLeft(10, 20, 200), kRight(250, 240, 130);

// 32 x 16, of two colours.
cv::Mat twoHalves() {
  cv::Mat frame(16, 32, CV_8UC3, cv::Scalar(kLeft));
  frame.colRange(16, 32).setTo(cv::Scalar(kRight));
  return frame;
}

TEST(MergeMap, GroupsHaveTheMeanColourOfTheirPlaces) {
  const cv::Mat map = (cv::Mat_<int>(2, 2) << 0, 1, 0, 2);
  const cv::Mat drawn = drawMergeMap(twoHalves(), map);
  ASSERT_EQ(drawn.size(), cv::Size(32, 16));
  EXPECT_EQ(drawn.at<cv::Vec3b>(3, 3), kLeft);
  EXPECT_EQ(drawn.at<cv::Vec3b>(8, 3), kLeft) << "no line within a group";
  EXPECT_EQ(drawn.at<cv::Vec3b>(12, 28), kRight);
  EXPECT_NE(drawn.at<cv::Vec3b>(8, 28), kRight) << "a line between two groups";
  const cv::Mat all = drawMergeMap(twoHalves(), cv::Mat::zeros(2, 2, CV_32S));
  EXPECT_LE(
      cv::norm(cv::Vec3d(all.at<cv::Vec3b>(5, 5)) - (cv::Vec3d(kLeft) + cv::Vec3d(kRight)) / 2), 1);
}

// As windows do that are larger than the frame.
TEST(MergeMap, PlacesPastTheFrameAreNotDrawn) {
  const cv::Mat map = (cv::Mat_<int>(2, 2) << 0, 1, 2, 3);
  const cv::Mat drawn = drawMergeMap(twoHalves(), map, {0, 0, 1, 2});
  ASSERT_EQ(drawn.size(), cv::Size(32, 16));
  for (const int row : {2, 8, 13}) {
    EXPECT_EQ(drawn.at<cv::Vec3b>(row, 5), kLeft);
    EXPECT_EQ(drawn.at<cv::Vec3b>(row, 26), kRight);
  }
}

TEST(MergeMap, ASmallFrameIsEnlargedSoThatEachPlaceIsSeen) {
  cv::Mat map(8, 8, CV_32S);
  for (int place = 0; place < 64; ++place) map.at<int>(place / 8, place % 8) = place;
  const cv::Mat frame(4, 4, CV_8UC3, cv::Scalar(kRight));
  const cv::Mat drawn = drawMergeMap(frame, map);
  ASSERT_EQ(drawn.size(), cv::Size(64, 64));
  EXPECT_EQ(drawn.at<cv::Vec3b>(60, 60), kRight);
}

}  // namespace
}  // namespace mpm::test
