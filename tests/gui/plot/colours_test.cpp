// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/colours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

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

/// As WCAG 2 defines it: 1 to 21.
double contrast(const QColor& one, const QColor& other) {
  const double a = luminance(one), b = luminance(other);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

TEST(Colours, MixedGoesFromOneToTheOther) {
  EXPECT_EQ(mixed(Qt::black, Qt::white, 0), QColor(Qt::black));
  EXPECT_EQ(mixed(Qt::black, Qt::white, 1), QColor(Qt::white));
  EXPECT_EQ(mixed(QColor(0, 100, 200), QColor(100, 0, 100), 0.5), QColor(50, 50, 150));
}

class ColoursOn : public ::testing::TestWithParam<bool> {
 protected:
  QPalette palette_ = GetParam() ? darkPalette() : lightPalette();
};

TEST_P(ColoursOn, AnyColourIsMadeReadableAndNoOtherThanItHasToBe) {
  const QColor base = palette_.color(QPalette::Base);
  for (const QColor& colour : {QColor(Qt::black), QColor(Qt::white), QColor(74, 74, 84),
                               QColor(255, 224, 40), QColor(40, 80, 200)}) {
    const QColor made = readable(colour, palette_);
    EXPECT_GE(contrast(made, base), 3) << colour.name().toStdString();
    if (contrast(colour, base) >= 3) {
      EXPECT_EQ(made, colour);
    } else {
      EXPECT_LT(contrast(made, base), 4);
    }
  }
}

TEST_P(ColoursOn, LinesCanBeSeenInEveryLight) {
  for (int i = 0; i < kSeriesColours; ++i) {
    EXPECT_GE(contrast(seriesColour(i, palette_), palette_.color(QPalette::Base)), 3) << i;
    for (const auto state : monitor::kAllLightStates)
      EXPECT_GE(contrast(seriesColour(i, palette_), lightColour(state, palette_)), 3)
          << i << " on " << monitor::nameOf(state);
  }
}

TEST_P(ColoursOn, TextCanBeReadInEveryLight) {
  for (const auto state : monitor::kAllLightStates)
    EXPECT_GE(contrast(palette_.color(QPalette::Text), lightColour(state, palette_)), 4.5)
        << monitor::nameOf(state);
  EXPECT_GE(contrast(quietTextColour(palette_), palette_.color(QPalette::Base)), 4.5);
}

TEST_P(ColoursOn, LightStatesDiffer) {
  std::set<QRgb> colours, strong;
  std::set<QString> titles;
  for (const auto state : monitor::kAllLightStates) {
    colours.insert(lightColour(state, palette_).rgb());
    strong.insert(strongLightColour(state, palette_).rgb());
    titles.insert(lightTitle(state));
  }
  EXPECT_EQ(colours.size(), monitor::kLightStates);
  EXPECT_EQ(strong.size(), monitor::kLightStates);
  EXPECT_EQ(titles.size(), monitor::kLightStates);
  EXPECT_FALSE(titles.contains(QString()));
}

TEST_P(ColoursOn, StatesThatColourMayNotTellHavePatterns) {
  using monitor::LightState;
  std::set<Qt::BrushStyle> styles{Qt::NoBrush};
  for (const LightState state : {LightState::infrared, LightState::noSignal, LightState::unknown})
    EXPECT_TRUE(styles.insert(lightPattern(state, palette_).style()).second)
        << monitor::nameOf(state);
  EXPECT_EQ(lightPattern(LightState::day, palette_).style(), Qt::NoBrush);
}

INSTANTIATE_TEST_SUITE_P(Palettes, ColoursOn, ::testing::Bool());

TEST(Colours, AnyIndexHasAColour) {
  EXPECT_EQ(seriesColour(0, lightPalette()), seriesColour(kSeriesColours, lightPalette()));
  EXPECT_EQ(seriesColour(-1, lightPalette()), seriesColour(kSeriesColours - 1, lightPalette()));
}

}  // namespace
}  // namespace mpm::gui
