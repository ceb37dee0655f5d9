// SPDX-License-Identifier: Apache-2.0
#include "gui/app/day_night_panel.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>

namespace mpm::gui {
namespace {

TEST(DayNightPanel, EveryButtonShowsItsTime) {
  DayNightPanel panel;
  panel.show();
  std::int64_t before = 0;
  int buttons = 0;
  for (QPushButton* button : panel.findChildren<QPushButton*>()) {
    button->click();
    const std::int64_t span =
        panel.tokens()->timeWindow().to() - panel.tokens()->timeWindow().from();
    EXPECT_GT(span, before) << qPrintable(button->text());
    before = span;
    ++buttons;
  }
  EXPECT_EQ(buttons, 6);
  EXPECT_EQ(before, std::int64_t{366} * 86400000);
}

TEST(DayNightPanel, NothingWatchedIsSaid) {
  DayNightPanel panel;
  panel.refresh();
  EXPECT_EQ(panel.sentence(), "Nothing is watched yet.");
}

TEST(DayNightPanel, TheNightIsToldAsTheSlidersSay) {
  DayNightPanel panel;
  QSignalSpy changed(&panel, &DayNightPanel::nightChanged);
  panel.findChild<QCheckBox*>()->setChecked(true);
  EXPECT_TRUE(panel.night().on);
  for (QSlider* slider : panel.findChildren<QSlider*>()) slider->setValue(40);
  EXPECT_DOUBLE_EQ(panel.night().luminosity, 0.4);
  EXPECT_DOUBLE_EQ(panel.night().noise, 0.4);
  EXPECT_GE(changed.count(), 3);
}

}  // namespace
}  // namespace mpm::gui
