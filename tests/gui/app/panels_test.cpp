// SPDX-License-Identifier: Apache-2.0
#include "gui/app/panels.h"

#include <gtest/gtest.h>

#include "gui/app/options.h"
#include "gui/app/watched.h"
#include "gui/app/window_parts.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

class DayNightPanelTest : public ::testing::Test {
 protected:
  DayNightPanelTest() { panel_->show(); }
  TimePlot& tokens() const { return *panel_->findChild<TimePlot*>("Tokens"); }
  QStringList marked() const {
    QStringList texts;
    for (const QPushButton* button : panel_->findChildren<QPushButton*>())
      if (button->isChecked()) texts += button->text();
    return texts;
  }

  Watched watched_;
  const std::unique_ptr<QWidget> panel_{newDayNightPanel(watched_.session)};
};

TEST_F(DayNightPanelTest, EveryButtonShowsItsTimeAndIsMarkedAlone) {
  EXPECT_EQ(marked(), QStringList{"10 minutes"}) << "as it begins";
  std::int64_t before = 0;
  const auto buttons = panel_->findChildren<QPushButton*>();
  EXPECT_EQ(buttons.size(), 6);
  for (QPushButton* button : buttons) {
    for (int clicks = 0; clicks < 2; ++clicks) {
      button->click();
      EXPECT_EQ(marked(), QStringList{button->text()});
    }
    const std::int64_t span = tokens().timeWindow().to() - tokens().timeWindow().from();
    EXPECT_GT(span, before) << qPrintable(button->text());
    before = span;
  }
  EXPECT_EQ(before, std::int64_t{366} * 86400000);
  EXPECT_EQ(watched_.settings.plotSpanMs, before) << "for the next start";
  tokens().setSpan(86'000'000);  // as the wheel does
  EXPECT_EQ(marked(), QStringList());
  tokens().setSpan(86'400'000);
  EXPECT_EQ(marked(), QStringList{"Day"});
}

// Guards against a panel without a word before the first source, and with "nothing is watched" next
// to "Opening".
TEST_F(DayNightPanelTest, ThatNoSourceIsOpenIsSaidAtOnce) {
  EXPECT_EQ(named<QLabel>(*panel_, "Day and night")->text(), "No source is open.");
  EXPECT_EQ(tokens().summary(), "Nothing is being measured.");
}

TEST_F(DayNightPanelTest, TheNightIsAsTheSlidersSayAndOfNoOtherSource) {
  ASSERT_TRUE(watched_.shows());
  auto* on = panel_->findChild<QCheckBox*>();
  const auto brightness = [&] { return cv::mean(watched_.session.frame()->frame.picture)[0]; };
  const double day = brightness();
  on->setChecked(true);
  for (QSlider* slider : panel_->findChildren<QSlider*>()) slider->setValue(40);
  const auto isFiltered = [&] { return watched_.session.frame()->filtered; };
  ASSERT_TRUE(waitFor([&] { return isFiltered() && brightness() < 0.7 * day; }));
  watched_.session.openSource("scene:?clock=600x&hour=12&size=160x120&seed=6");
  EXPECT_TRUE(waitFor([&] { return !on->isChecked(); }));
  EXPECT_TRUE(waitFor([&] { return watched_.session.frame() && !isFiltered(); }));
}

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

// Guards against times of a stretched frame although windows slide over it.
TEST(TunePanel, MeasuresWhatRuns) {
  AppOptions options;
  options.record = "none";
  options.source = "scene:?clock=600x&hour=12&size=160x80";
  LiveOptions wanted = withOptions({}, options).live;
  wanted.fit = Fit::slide;
  wanted.precision = "fp32";
  Live live;
  live.open(wanted);
  ASSERT_TRUE(waitFor([&] { return live.engine() != nullptr; }));
  const SegmenterOptions measured = tuneOptions(live);
  EXPECT_EQ(measured.fit, Fit::slide);
  EXPECT_EQ(measured.read.precision, "fp32");
  EXPECT_EQ(measured.read.device, live.computing().device.toStdString());
}

}  // namespace
}  // namespace mpm::gui
