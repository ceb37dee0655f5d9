// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/frame_view.h"

#include <gtest/gtest.h>

#include <cmath>

#include "small_result.h"

namespace mpm::gui {
namespace {

TEST(FrameView, SettersChangeWhatIsSeen) {
  ClassSettings classes;
  giveSmallClasses(classes);
  FrameView view(ViewKind::segmentation);
  view.setClasses(&classes);
  view.resize(400, 300);
  view.setResult(smallResult());
  QImage seen = view.grab().toImage();
  const auto differs = [&] {
    const QImage now = view.grab().toImage();
    const bool other = now != seen;
    seen = now;
    return other;
  };
  EXPECT_FALSE(differs());
  view.setOpacity(0.2);
  EXPECT_TRUE(differs());
  view.setOutlines(false);
  EXPECT_TRUE(differs());
  classes.setSolo(0);
  EXPECT_TRUE(differs());
  view.setKind(ViewKind::mergeMap);
  EXPECT_TRUE(differs());
  view.setStage(1);
  EXPECT_TRUE(differs());
  const auto slid = smallResult();
  slid->segmentation.gridArea = {0, 0, 0.5, 1};
  view.setResult(slid);
  EXPECT_TRUE(differs());
}

TEST(FrameView, HoldsWhatItIsGiven) {
  FrameView view;
  view.setOpacity(7);
  EXPECT_EQ(view.painting().opacity, 1);
  view.setOpacity(std::nan(""));
  EXPECT_EQ(view.painting().opacity, 0);
  view.setStage(-4);
  EXPECT_EQ(view.painting().stage, 0);
  EXPECT_EQ(FrameView(ViewKind::confidence).painting().opacity, usualOpacity(ViewKind::confidence));
}

}  // namespace
}  // namespace mpm::gui
