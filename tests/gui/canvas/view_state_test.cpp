// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/view_state.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <cmath>
#include <limits>

namespace mpm::gui {
namespace {

TEST(ViewState, ZoomKeepsItsAnchor) {
  ViewState state;
  QSignalSpy moved(&state, &ViewState::moved);
  const QPointF anchor(0.4, 0.55);
  const auto offset = [&] { return (anchor - state.centre()) * state.zoom(); };
  const QPointF before = offset();
  state.zoomBy(2, anchor);
  EXPECT_EQ(state.zoom(), 2);
  EXPECT_NEAR(offset().x(), before.x(), 1e-12);
  EXPECT_NEAR(offset().y(), before.y(), 1e-12);
  EXPECT_EQ(moved.count(), 1);
}

TEST(ViewState, StaysInsideThePicture) {
  ViewState state;
  state.panBy({0.3, 0.3});
  EXPECT_EQ(state.centre(), QPointF(0.5, 0.5)) << "all of it is seen";
  state.zoomBy(4, {0.5, 0.5});
  state.panBy({9, -9});
  EXPECT_EQ(state.centre(), QPointF(0.875, 0.125));
  state.zoomBy(1e9, {0.5, 0.5});
  EXPECT_EQ(state.zoom(), ViewState::kMostZoom);
  state.fit();
  EXPECT_EQ(state.zoom(), 1);
  EXPECT_EQ(state.centre(), QPointF(0.5, 0.5));
}

TEST(ViewState, TellsOnlyChanges) {
  ViewState state;
  QSignalSpy moved(&state, &ViewState::moved), hovered(&state, &ViewState::hoveredChanged),
      pinned(&state, &ViewState::pinnedChanged);
  state.fit();
  state.setHovered(std::nullopt);
  state.setPinned(std::nullopt);
  state.zoomBy(std::numeric_limits<double>::quiet_NaN(), {0, 0});
  EXPECT_EQ(moved.count() + hovered.count() + pinned.count(), 0);
  state.setHovered(QPointF(2, -1));
  EXPECT_EQ(state.hovered(), QPointF(1, 0));
  state.setHovered(QPointF(1, 0));
  EXPECT_EQ(hovered.count(), 1);
  state.setPinned(QPointF(0.25, 0.5));
  EXPECT_EQ(pinned.count(), 1);
  EXPECT_EQ(state.looked(), QPointF(1, 0));
  state.setHovered(QPointF(std::nan(""), 0));
  EXPECT_FALSE(state.hovered());
  EXPECT_EQ(state.looked(), QPointF(0.25, 0.5));
}

}  // namespace
}  // namespace mpm::gui
