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

TEST(DayNightPanel, TheButtonOfTheTimeShownIsMarkedAndNoOther) {
  DayNightPanel panel;
  const auto marked = [&] {
    QStringList texts;
    for (const QPushButton* button : panel.findChildren<QPushButton*>())
      if (button->isChecked()) texts += button->text();
    return texts;
  };
  EXPECT_EQ(marked(), QStringList{"10 minutes"}) << "as it begins";
  for (QPushButton* button : panel.findChildren<QPushButton*>()) {
    for (int clicks = 0; clicks < 2; ++clicks) {
      button->click();
      EXPECT_EQ(marked(), QStringList{button->text()});
    }
  }
  panel.tokens()->setSpan(86'000'000);  // as the wheel does
  EXPECT_EQ(marked(), QStringList());
  panel.tokens()->setSpan(86'400'000);
  EXPECT_EQ(marked(), QStringList{"Day"});
}

// The panel was open before the first source was, without a word; later it said that nothing was
// watched, beside "Opening".
TEST(DayNightPanel, ThatNoSourceIsOpenIsSaidAtOnce) {
  const DayNightPanel panel;
  EXPECT_EQ(panel.sentence(), "No source is open.");
  EXPECT_EQ(panel.tokens()->summary(), "Nothing is being measured.");
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

TEST(NightFilter, IsNothingWhereItIsOff) { EXPECT_FALSE(nightFilter({})); }

TEST(NightFilter, DarkensACopyAndMoreNoiseIsMoreNoise) {
  const cv::Mat picture(64, 64, CV_8UC3, cv::Scalar::all(180));
  cv::Scalar mean, quiet, loud;
  const auto calm = nightFilter({true, 0.2, 0.1});
  cv::meanStdDev(calm(picture), mean, quiet);
  EXPECT_LT(mean[0], 120);
  EXPECT_EQ(picture.at<cv::Vec3b>(3, 3)[0], 180);
  cv::meanStdDev(nightFilter({true, 0.2, 1.0})(picture), mean, loud);
  EXPECT_GT(loud[0], 2 * quiet[0]);
}

TEST(NightFilter, AnySettingOfTheSlidersIsPossible) {
  const cv::Mat picture(8, 8, CV_8UC3, cv::Scalar::all(100));
  for (const double light : {-1.0, 0.0, 0.01, 1.0, 5.0}) {
    for (const double noise : {-1.0, 0.0, 1.0, 2.0}) {
      EXPECT_NO_THROW(nightFilter({true, light, noise})(picture)) << light << " " << noise;
    }
  }
}

}  // namespace

}  // namespace mpm::gui
