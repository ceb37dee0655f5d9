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

}  // namespace

}  // namespace mpm::gui
