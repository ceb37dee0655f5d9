// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/colour_scale.h"

#include <gtest/gtest.h>

#include <QColor>
#include <cmath>
#include <limits>

namespace mpm::gui {
namespace {

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
