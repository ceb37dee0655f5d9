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

TEST(ViewGeometry, FitsWithItsRatioKept) {
  const ViewGeometry shown({400, 400}, {200, 100}, 1, {0.5, 0.5});
  EXPECT_EQ(shown.scale(), 2);
  EXPECT_EQ(shown.toView(QPointF(0, 0)), QPointF(0, 100));
  EXPECT_EQ(shown.toView(QPointF(1, 1)), QPointF(400, 300));
  EXPECT_EQ(shown.toPicture({200, 200}), QPointF(0.5, 0.5));
  EXPECT_TRUE(shown.hitsPicture({1, 101}));
  EXPECT_FALSE(shown.hitsPicture({1, 99}));
}

TEST(ViewGeometry, OfNothingIsEmpty) {
  EXPECT_TRUE(ViewGeometry().isEmpty());
  EXPECT_TRUE(ViewGeometry({0, 10}, {20, 10}, 1, {}).isEmpty());
  EXPECT_TRUE(ViewGeometry({10, 10}, {}, 1, {}).isEmpty());
  EXPECT_FALSE(ViewGeometry().hitsPicture({0, 0}));
  EXPECT_TRUE(ViewGeometry().seen({0, 0, 10, 10}, 1).area.empty());
}

TEST(ViewGeometry, SeesAllAtZoomOne) {
  const ViewGeometry shown({800, 600}, {640, 480}, 1, {0.5, 0.5});
  const ViewGeometry::Seen seen = shown.seen({0, 0, 800, 600}, 2);
  EXPECT_EQ(seen.area, cv::Rect(0, 0, 640, 480));
  EXPECT_EQ(seen.target, QRect(0, 0, 1600, 1200));
}

TEST(ViewGeometry, SeesWholePixelsThatCoverTheClip) {
  for (const double zoom : {1.7, 3.0, 11.3}) {
    const ViewGeometry shown({333, 217}, {640, 480}, zoom, {0.42, 0.61});
    const QRectF clip(50, 20, 100, 150);
    const ViewGeometry::Seen seen = shown.seen(clip, 1.5);
    const double pixel = shown.scale() * 1.5;
    EXPECT_LE(seen.target.left(), clip.left() * 1.5 + 1);
    EXPECT_GE(seen.target.left(), clip.left() * 1.5 - pixel - 1);
    EXPECT_GE(seen.target.right() + 1, clip.right() * 1.5 - 1);
    EXPECT_LE(seen.target.right() + 1, clip.right() * 1.5 + pixel + 1);
    EXPECT_NEAR(seen.target.width(), seen.area.width * pixel, 1);
  }
}

TEST(ViewGeometry, PaintsNoMoreThanIsWorthIt) {
  const ViewGeometry shown({4000, 3000}, {640, 480}, 1, {0.5, 0.5});
  const Part part = shown.partFor(shown.seen({0, 0, 4000, 3000}, 1));
  EXPECT_LE(part.size.area(), 1'000'000);
  EXPECT_GT(part.size.area(), 900'000);
  EXPECT_NEAR(static_cast<double>(part.size.width) / part.size.height, 4.0 / 3, 0.01);
}

}  // namespace
}  // namespace mpm::gui
