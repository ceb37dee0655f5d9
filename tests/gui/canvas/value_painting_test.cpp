// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/value_painting.h"

#include <gtest/gtest.h>

#include <limits>

namespace mpm::gui {
namespace {

TEST(ValuePainting, ColoursValuesAndHoldsOthers) {
  cv::Mat values = (cv::Mat_<float>(1, 5) << 0.F, 0.5F, 1.F, 7.F, -1.F);
  values.at<float>(0, 4) = std::numeric_limits<float>::quiet_NaN();
  cv::Mat pixels(4, 10, CV_8UC4, cv::Scalar::all(0));
  ValuePainting().paint(pixels, values, {{0, 0, 50, 20}, {50, 20}, {10, 4}}, valueScale(), 1);
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
