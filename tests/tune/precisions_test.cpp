// SPDX-License-Identifier: Apache-2.0
#include "tune/precisions.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mpm::test {
namespace {

std::string fastestOf(const std::vector<TunedPrecision>& precisions,
                      double agreement = kEnoughLabels) {
  return fastestPrecision(precisions, agreement).precision;
}

TEST(Precisions, TheFastestThatAgreesSoFar) {
  const std::vector<TunedPrecision> tuned{
      {"fp32", 1, 100, 1}, {"bf16", 0.6, 60, 0.999}, {"int8", 0.4, 40, 0.997}};
  EXPECT_EQ(fastestOf(tuned), "int8");
  EXPECT_EQ(fastestOf(tuned, 0.998), "bf16");
  EXPECT_EQ(fastestOf(tuned, 0.9995), "fp32");
}

TEST(Precisions, OneThatBreaksTheModelIsNotTaken) {
  EXPECT_EQ(fastestOf({{"fp32", 1, 100, 1}, {"int8", 0.3, 30, 0.994}}), "fp32");
}

TEST(Precisions, OfTwoThatAreAboutAsFastTheOneThatAgreesBetter) {
  EXPECT_EQ(fastestOf({{"fp32", 1, 100, 1}, {"bf16", 0.61, 61, 0.999}, {"int8", 0.6, 60, 0.997}}),
            "bf16");
  EXPECT_EQ(fastestOf({{"fp32", 1, 100, 1}, {"bf16", 0.6, 60, 0.996}, {"int8", 0.61, 61, 0.998}}),
            "int8");
  EXPECT_EQ(fastestOf({{"fp32", 1, 100, 1}, {"bf16", 0.98, 98, 1}}), "fp32");
}

TEST(Precisions, AFrameOfOneColourJudgesNothing) {
  cv::Mat frame(20, 30, CV_8UC3, cv::Scalar(3, 120, 200));
  EXPECT_TRUE(isOfOneColour(frame));
  EXPECT_TRUE(isOfOneColour({}));
  frame.at<cv::Vec3b>(19, 29) = {8, 118, 203};  // noise
  EXPECT_TRUE(isOfOneColour(frame));
  frame.at<cv::Vec3b>(19, 29) = {3, 120, 209};
  EXPECT_FALSE(isOfOneColour(frame));
  EXPECT_TRUE(isOfOneColour(frame.colRange(0, 29)));
  EXPECT_FALSE(isOfOneColour(frame.colRange(1, 30)));
}

TEST(Precisions, AreComparedOnEachFrameByNeighbouringRuns) {
  const auto labels = [](int changed) {
    cv::Mat picture(10, 10, CV_8UC1, cv::Scalar(0));
    for (int i = 0; i < changed; ++i) picture.at<std::uint8_t>(0, i) = 1;
    return picture;
  };
  std::vector<std::size_t> ran;
  double slow = 1;  // a machine that becomes busier
  const tune::RunFrame fp32 = [&](std::size_t) {
    return tune::Trial{100 * (slow += 1), labels(0), {}};
  };
  const tune::RunFrame other = [&](std::size_t frame) {
    ran.push_back(frame);
    return tune::Trial{25 * slow, labels(frame == 0 ? 2 : 6), {}};
  };
  const TunedPrecision tuned = tune::comparePrecision("bf16", fp32, other, 2);
  EXPECT_EQ(tuned.precision, "bf16");
  EXPECT_DOUBLE_EQ(tuned.ratio, 0.25);
  EXPECT_DOUBLE_EQ(tuned.agreement, 0.96);  // 98 and 94 percent
  EXPECT_EQ(ran, (std::vector<std::size_t>{0, 0, 1, 0, 1, 0}));
}

}  // namespace
}  // namespace mpm::test
