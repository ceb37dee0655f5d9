// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/colours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

using monitor::LightState;
using testing::darkPalette;
using testing::lightPalette;

double linear(int part) {
  const double share = part / 255.0;
  return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& colour) {
  return 0.2126 * linear(colour.red()) + 0.7152 * linear(colour.green()) +
         0.0722 * linear(colour.blue());
}

/// Returns the contrast as WCAG 2 defines it: 1 to 21.
double contrast(const QColor& one, const QColor& other) {
  const double a = luminance(one), b = luminance(other);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

class ColoursOn : public ::testing::TestWithParam<bool> {
 protected:
  double onBase(const QColor& colour) const {
    return contrast(colour, palette_.color(QPalette::Base));
  }
  QPalette palette_ = GetParam() ? darkPalette() : lightPalette();
};

TEST_P(ColoursOn, AnyColourIsMadeReadableAndNoOtherThanItHasToBe) {
  for (const QColor& colour : {QColor(Qt::black), QColor(Qt::white), QColor(74, 74, 84),
                               QColor(255, 224, 40), QColor(40, 80, 200)}) {
    const QColor made = readable(colour, palette_);
    EXPECT_GE(onBase(made), 3) << qPrintable(colour.name());
    if (onBase(colour) >= 3) {
      EXPECT_EQ(made, colour);
    } else {
      EXPECT_LT(onBase(made), 4);
    }
  }
}

TEST_P(ColoursOn, LinesAndTextCanBeSeenInEveryLightAndLightsDiffer) {
  EXPECT_GE(onBase(quietTextColour(palette_)), 4.5);
  std::set<QRgb> colours, strong;
  std::set<QString> titles{QString()};
  for (const auto state : monitor::kAllLightStates) {
    const QColor light = lightColour(state, palette_);
    EXPECT_GE(contrast(palette_.color(QPalette::Text), light), 4.5) << monitor::nameOf(state);
    for (int i = 0; i < kSeriesColours; ++i) {
      EXPECT_GE(onBase(seriesColour(i, palette_)), 3) << i;
      EXPECT_GE(contrast(seriesColour(i, palette_), light), 3) << i << monitor::nameOf(state);
    }
    colours.insert(light.rgb());
    strong.insert(strongLightColour(state, palette_).rgb());
    titles.insert(lightTitle(state));
  }
  EXPECT_EQ(colours.size(), monitor::kLightStates);
  EXPECT_EQ(strong.size(), monitor::kLightStates);
  EXPECT_EQ(titles.size(), monitor::kLightStates + 1);
  std::set<Qt::BrushStyle> styles{Qt::NoBrush};  // what colour may not tell
  for (const LightState state : {LightState::infrared, LightState::noSignal, LightState::unknown})
    EXPECT_TRUE(styles.insert(lightPattern(state, palette_).style()).second)
        << monitor::nameOf(state);
  EXPECT_EQ(lightPattern(LightState::day, palette_).style(), Qt::NoBrush);
}

INSTANTIATE_TEST_SUITE_P(Palettes, ColoursOn, ::testing::Bool());

TEST(Colours, AreMixedAndAnyIndexHasOne) {
  EXPECT_EQ(mixed(Qt::black, Qt::white, 0), QColor(Qt::black));
  EXPECT_EQ(mixed(Qt::black, Qt::white, 1), QColor(Qt::white));
  EXPECT_EQ(mixed(QColor(0, 100, 200), QColor(100, 0, 100), 0.5), QColor(50, 50, 150));
  EXPECT_EQ(seriesColour(0, lightPalette()), seriesColour(kSeriesColours, lightPalette()));
  EXPECT_EQ(seriesColour(-1, lightPalette()), seriesColour(kSeriesColours - 1, lightPalette()));
}

}  // namespace
}  // namespace mpm::gui
