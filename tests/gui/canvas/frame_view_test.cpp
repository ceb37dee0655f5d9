// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/frame_view.h"

#include <gtest/gtest.h>

#include <QAccessible>
#include <QSignalSpy>
#include <QTest>
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
  view.setNamed(true);
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

class FrameViewZones : public ::testing::Test {
 protected:
  FrameViewZones() : changed_(&view_, &FrameView::zonesChanged) {
    view_.resize(400, 300);
    view_.setResult(smallResult());
    view_.show();
    view_.setZoneEditing(true);
  }
  void click(QPoint at) { QTest::mouseClick(&view_, Qt::LeftButton, {}, at); }
  void key(Qt::Key key, int times = 1) {
    for (int i = 0; i < times; ++i) QTest::keyClick(&view_, key);
  }
  void drawTriangle() {
    click({40, 30});
    click({200, 30});
    click({200, 150});
  }
  FrameView view_;
  QSignalSpy changed_;
};

TEST_F(FrameViewZones, ClicksAndEnterDrawAZone) {
  drawTriangle();
  EXPECT_EQ(changed_.count(), 0);
  key(Qt::Key_Return);
  ASSERT_EQ(changed_.count(), 1);
  const auto zones = changed_[0][0].value<std::vector<monitor::Zone>>();
  ASSERT_EQ(zones.size(), 1U);
  EXPECT_EQ(zones[0].corners, (std::vector<cv::Point2d>{{0.1, 0.1}, {0.5, 0.1}, {0.5, 0.5}}));
  EXPECT_EQ(view_.zones(), zones);
  EXPECT_FALSE(view_.viewState()->pinned()) << "clicks are corners, not pins";
}

TEST_F(FrameViewZones, ADoubleClickClosesWhatIsSeen) {
  const QImage before = view_.grab().toImage();
  drawTriangle();
  EXPECT_NE(view_.grab().toImage(), before);
  QTest::mouseDClick(&view_, Qt::LeftButton, {}, QPoint(200, 150));
  EXPECT_EQ(view_.zones().size(), 1U);
}

TEST_F(FrameViewZones, CornersAreDragged) {
  drawTriangle();
  key(Qt::Key_Return);
  QTest::mousePress(&view_, Qt::LeftButton, {}, QPoint(203, 148));
  QTest::mouseMove(&view_, QPoint(300, 240));
  QTest::mouseRelease(&view_, Qt::LeftButton, {}, QPoint(300, 240));
  ASSERT_EQ(changed_.count(), 2);
  EXPECT_EQ(view_.zones()[0].corners[2], cv::Point2d(0.75, 0.8));
}

TEST_F(FrameViewZones, ADragMakesARectangle) {
  QTest::mousePress(&view_, Qt::LeftButton, {}, QPoint(40, 30));
  const QImage before = view_.grab().toImage();
  QTest::mouseMove(&view_, QPoint(200, 150));
  EXPECT_NE(view_.grab().toImage(), before) << "it is seen while it is dragged";
  QTest::mouseRelease(&view_, Qt::LeftButton, {}, QPoint(200, 150));
  ASSERT_EQ(changed_.count(), 1);
  EXPECT_EQ(view_.zones()[0].corners,
            (std::vector<cv::Point2d>{{0.1, 0.1}, {0.5, 0.1}, {0.5, 0.5}, {0.1, 0.5}}));
  QTest::mousePress(&view_, Qt::LeftButton, {}, QPoint(300, 200));
  QTest::mouseRelease(&view_, Qt::LeftButton, {}, QPoint(301, 201));
  EXPECT_EQ(view_.zones().size(), 1U) << "a hand that trembles clicks a corner";
  EXPECT_EQ(view_.zoneEditor().draft().size(), 1U);
}

TEST_F(FrameViewZones, EscapeWithNothingToCancelTellsThatItEnds) {
  QSignalSpy left(&view_, &FrameView::zoneEditingLeft);
  drawTriangle();
  key(Qt::Key_Escape);
  EXPECT_EQ(left.count(), 0);
  key(Qt::Key_Escape);
  EXPECT_EQ(left.count(), 1);
  EXPECT_FALSE(view_.isZoneEditing());
}

// Seen: corners on one camera's picture became a zone of the next.
TEST_F(FrameViewZones, WhatWasBegunOnAnotherPictureIsForgotten) {
  EXPECT_FALSE(view_.forgetDraft());
  drawTriangle();
  EXPECT_TRUE(view_.forgetDraft());
  key(Qt::Key_Return);
  view_.setZoneEditing(false);
  EXPECT_EQ(changed_.count(), 0);
}

TEST_F(FrameViewZones, EscapeAndDelete) {
  drawTriangle();
  key(Qt::Key_Escape);
  EXPECT_TRUE(view_.zoneEditor().draft().empty());
  EXPECT_TRUE(view_.isZoneEditing());
  drawTriangle();
  key(Qt::Key_Return);
  key(Qt::Key_Delete);
  EXPECT_TRUE(view_.zones().empty());
  key(Qt::Key_Escape);
  EXPECT_FALSE(view_.isZoneEditing()) << "nothing was left to cancel";
}

TEST_F(FrameViewZones, AKeyboardIsEnough) {
  key(Qt::Key_Space);
  key(Qt::Key_Right, 20);
  key(Qt::Key_Space);
  key(Qt::Key_Down, 20);
  key(Qt::Key_Space);
  key(Qt::Key_Enter);
  ASSERT_EQ(view_.zones().size(), 1U);
  EXPECT_NEAR(view_.zones()[0].corners[2].x, 0.7, 1e-9);
  EXPECT_NEAR(view_.zones()[0].corners[2].y, 0.7, 1e-9);
  key(Qt::Key_Space);  // takes the corner up that it stands on
  key(Qt::Key_Right, 10);
  key(Qt::Key_Space);
  EXPECT_NEAR(view_.zones()[0].corners[2].x, 0.8, 1e-9);
  key(Qt::Key_Escape);
  key(Qt::Key_PageDown);
  EXPECT_EQ(view_.zoneEditor().chosen(), 0);
  key(Qt::Key_Delete);
  EXPECT_TRUE(view_.zones().empty());
}

TEST_F(FrameViewZones, OtherZonesLeaveTheDraft) {
  drawTriangle();
  key(Qt::Key_Return);
  click({350, 250});
  view_.setZones(view_.zones());
  EXPECT_EQ(view_.zoneEditor().draft().size(), 1U);
  view_.setZones({});
  EXPECT_EQ(view_.zoneEditor().draft().size(), 1U);
}

TEST_F(FrameViewZones, WhatWasBegunBecomesAZoneAtTheEndOrIsSaidToBeGone) {
  QSignalSpy dropped(&view_, &FrameView::draftDropped);
  drawTriangle();
  view_.setZoneEditing(false);
  ASSERT_EQ(changed_.count(), 1);
  EXPECT_EQ(view_.zones().size(), 1U);
  EXPECT_EQ(dropped.count(), 0);
  view_.setZoneEditing(true);
  click({350, 250});
  view_.setZoneEditing(false);
  EXPECT_EQ(changed_.count(), 1);
  EXPECT_EQ(dropped.count(), 1);
}

class SplitViewTest : public ::testing::Test {
 protected:
  SplitViewTest() {
    view_.setKinds(ViewKind::camera, ViewKind::difference);  // grey where nothing differs
    view_.resize(400, 300);
    view_.setResult(smallResult());
    view_.show();
  }
  bool isGrey(int x) { return QColor(view_.grab().toImage().pixel(x, 200)).saturation() == 0; }
  SplitView view_;
};

TEST_F(SplitViewTest, EachSideHasItsPainting) {
  EXPECT_FALSE(isGrey(100));
  EXPECT_TRUE(isGrey(300));
  view_.handle()->setValue(900);
  EXPECT_FALSE(isGrey(300));
  view_.handle()->setValue(100);
  EXPECT_TRUE(isGrey(100));
  EXPECT_EQ(view_.accessibleName(), "Camera and Difference");
}

TEST_F(SplitViewTest, TheLineIsDragged) {
  SplitHandle* handle = view_.handle();
  const QPoint middle = handle->rect().center();
  QTest::mousePress(handle, Qt::LeftButton, {}, middle);
  QTest::mouseMove(handle, middle - QPoint(100, 0));
  QTest::mouseRelease(handle, Qt::LeftButton, {}, handle->rect().center());
  EXPECT_NEAR(view_.split(), 0.25, 0.01);
  EXPECT_NEAR(handle->geometry().center().x(), 100, 2) << "it stands where it was dragged to";
}

TEST_F(SplitViewTest, TheLineIsMovedByKeys) {
  QTest::keyClick(view_.handle(), Qt::Key_Right);
  EXPECT_NEAR(view_.split(), 0.52, 1e-9);
  QTest::keyClick(view_.handle(), Qt::Key_Home);
  EXPECT_EQ(view_.split(), 0);
  EXPECT_TRUE(isGrey(30));
  QTest::keyClick(view_.handle(), Qt::Key_End);
  EXPECT_EQ(view_.split(), 1);
  EXPECT_FALSE(isGrey(370));
}

TEST_F(SplitViewTest, TheLineIsASliderToScreenReaders) {
  QAccessibleInterface* line = QAccessible::queryAccessibleInterface(view_.handle());
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->role(), QAccessible::Slider);
  EXPECT_EQ(line->text(QAccessible::Name), "Split line");
}

TEST_F(SplitViewTest, TheLineFollowsTheSize) {
  view_.handle()->setValue(250);
  view_.resize(800, 600);
  EXPECT_NEAR(view_.handle()->geometry().center().x(), 200, 2);
  EXPECT_EQ(view_.handle()->height(), 600);
}

TEST_F(SplitViewTest, ExportsTheLineOverTheSamePlace) {
  view_.handle()->setValue(250);
  const QImage image = view_.exported(false);
  EXPECT_GT(QColor(image.pixel(18, 30)).saturation(), 100);
  EXPECT_EQ(QColor(image.pixel(22, 30)).saturation(), 0);
}

}  // namespace
}  // namespace mpm::gui
