// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/split_view.h"

#include <gtest/gtest.h>

#include <QAccessible>
#include <QTest>
#include <cmath>

#include "small_result.h"

namespace mpm::gui {
namespace {

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
  view_.setSplit(0.9);
  EXPECT_FALSE(isGrey(300));
  view_.setSplit(0.1);
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
  view_.setSplit(0.25);
  view_.resize(800, 600);
  EXPECT_NEAR(view_.handle()->geometry().center().x(), 200, 2);
  EXPECT_EQ(view_.handle()->height(), 600);
}

TEST_F(SplitViewTest, ExportsTheLineOverTheSamePlace) {
  view_.setSplit(0.25);
  const QImage image = view_.exported(false);
  EXPECT_GT(QColor(image.pixel(18, 30)).saturation(), 100);
  EXPECT_EQ(QColor(image.pixel(22, 30)).saturation(), 0);
}

TEST_F(SplitViewTest, HoldsItsLineInside) {
  view_.setSplit(3);
  EXPECT_EQ(view_.split(), 1);
  view_.setSplit(std::nan(""));
  EXPECT_EQ(view_.split(), 1);
}

}  // namespace
}  // namespace mpm::gui
