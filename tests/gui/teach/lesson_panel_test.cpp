// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/lesson_panel.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

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

}  // namespace
}  // namespace mpm::gui
