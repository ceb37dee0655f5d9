// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/lesson_panel.h"

#include <gtest/gtest.h>

#include <QProgressBar>
#include <limits>
#include <memory>

#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

TEST(LessonPanelTest, SaysWhereWhatWasTaughtIsOfItsViewAlone) {
  LessonPanel panel;
  auto taught = std::make_shared<TeachWorker::Taught>();
  taught->lesson.meanIou = std::numeric_limits<double>::quiet_NaN();
  panel.end(taught, {});
  EXPECT_FALSE(panel.told().contains("where in the picture")) << qPrintable(panel.told());
  taught->lesson.knowsPlaces = true;
  panel.end(taught, {});
  EXPECT_TRUE(panel.told().startsWith("Taught in ")) << qPrintable(panel.told());
  EXPECT_TRUE(panel.told().contains("when the camera looks elsewhere"));
}

// Seen: 0% for two minutes.
TEST(LessonPanelTest, TheBarGoesOnWhileNothingIsToldAndNeverBack) {
  LessonPanel panel;
  panel.begin();
  const QProgressBar& bar = *panel.progress();
  int before = 0;
  for (const double share : {0.1, 0.6}) {
    EXPECT_TRUE(waitFor([&] { return bar.value() > before + 1; }));
    panel.showProgress(share, share + 0.2);
    before = bar.value();
    EXPECT_GE(before, 1000 * share);
  }
  panel.showProgress(0.3, 0.4);
  EXPECT_GE(bar.value(), before);
  EXPECT_TRUE(bar.format().contains("left")) << qPrintable(bar.format());
  EXPECT_LT(bar.value(), 800);
}

}  // namespace
}  // namespace mpm::gui
