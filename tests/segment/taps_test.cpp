// SPDX-License-Identifier: Apache-2.0
#include "segment/taps.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

namespace mpm::segment {
namespace {

TEST(Taps, PlacesAtTheEdgesAreTheirOwnNeighbours) {
  for (const double position : {-3.0, -0.5, 0.0}) {
    const Tap tap = tapAt(position, 4);
    EXPECT_EQ(tap.first, 0) << position;
    EXPECT_EQ(tap.second, 0) << position;
    EXPECT_EQ(tap.weight, 0) << position;
  }
  for (const double position : {3.0, 3.25, 9.0}) {
    const Tap tap = tapAt(position, 4);
    EXPECT_EQ(tap.first, 3) << position;
    EXPECT_EQ(tap.second, 3) << position;
    EXPECT_EQ(tap.weight, 0) << position;
  }
  const Tap between = tapAt(1.25, 4);
  EXPECT_EQ(between.first, 1);
  EXPECT_EQ(between.second, 2);
  EXPECT_FLOAT_EQ(between.weight, 0.25F);
}

TEST(Taps, AsOpenCvResizes) {
  for (const int in : {1, 2, 3, 7, 32}) {
    for (const int out : {1, 2, 5, 31, 32, 64, 100}) {
      cv::Mat line(1, in, CV_32F), resized;
      for (int i = 0; i < in; ++i) line.at<float>(i) = static_cast<float>((i * 7 + 3) % 11);
      cv::resize(line, resized, {out, 1}, 0, 0, cv::INTER_LINEAR);
      Taps taps;
      taps.assign(in, out, 0, out);
      for (int i = 0; i < out; ++i) {
        const float a = line.at<float>(taps.first[i]), b = line.at<float>(taps.second[i]);
        EXPECT_NEAR(a + taps.weight[i] * (b - a), resized.at<float>(i), 1e-4)
            << in << " to " << out << " at " << i;
      }
    }
  }
}

TEST(Taps, APartIsThatPartOfTheWhole) {
  Taps whole, part;
  whole.assign(37, 100, 0, 100);
  part.assign(37, 100, 20, 55);
  ASSERT_EQ(part.first.size(), 35U);
  for (int i = 0; i < 35; ++i) {
    EXPECT_EQ(part.first[i], whole.first[i + 20]);
    EXPECT_EQ(part.second[i], whole.second[i + 20]);
    EXPECT_EQ(part.weight[i], whole.weight[i + 20]);
  }
}

}  // namespace
}  // namespace mpm::segment
