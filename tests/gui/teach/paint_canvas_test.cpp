// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/paint_canvas.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <memory>

#include "gui/hands.h"
#include "mpm/teach.h"

namespace mpm::gui {
namespace {

class PaintCanvasTest : public testing::Test {
 protected:
  PaintCanvasTest() {
    canvas_.resize(640, 480);  // ten pixels for one of the picture
    canvas_.setClasses({{"sky", Qt::blue}, {"ground", Qt::green}});
    canvas_.show(&picture_, &labels_, &history_);
    canvas_.setClassNumber(0);
    canvas_.setTool(PaintTool::brush);
    canvas_.setBrush(3);
    static_cast<QWidget&>(canvas_).show();
  }
  void drag(QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton) {
    QTest::mousePress(&canvas_, button, {}, from);
    QTest::mouseMove(&canvas_, (from + to) / 2);
    QTest::mouseMove(&canvas_, to);
    QTest::mouseRelease(&canvas_, button, {}, to);
  }
  void click(QPoint at, Qt::MouseButton button = Qt::LeftButton) {
    QTest::mouseClick(&canvas_, button, {}, at);
  }
  // Shows a half with two halves inside, which differ less, and quarters.
  void showAreas() {
    picture_(cv::Rect(0, 24, 32, 24)).setTo(cv::Scalar(96, 126, 66));
    picture_(cv::Rect(32, 0, 32, 24)).setTo(cv::Scalar(200, 40, 40));
    picture_(cv::Rect(32, 24, 32, 24)).setTo(cv::Scalar(40, 40, 200));
    canvas_.setAreas(std::make_shared<const Areas>(picture_));
  }
  void turn(int notches, Qt::KeyboardModifiers keys = {}) {
    const QPoint at = canvas_.rect().center();
    QWheelEvent wheel(at, canvas_.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, keys,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&canvas_, &wheel);
  }
  int count(int value) const { return cv::countNonZero(labels_ == value); }

  cv::Mat picture_{48, 64, CV_8UC3, cv::Scalar(90, 120, 60)};
  cv::Mat labels_{48, 64, CV_8U, cv::Scalar(kUnpainted)};
  PaintHistory history_;
  PaintCanvas canvas_;
  QSignalSpy painted_{&canvas_, &PaintCanvas::painted}, said_{&canvas_, &PaintCanvas::said};
};

TEST_F(PaintCanvasTest, ABrushPaintsWhereTheMouseGoes) {
  drag({100, 100}, {500, 100});
  EXPECT_EQ(painted_.count(), 1);
  EXPECT_EQ(labels_.at<uchar>(10, 30), 0);
  EXPECT_EQ(labels_.at<uchar>(9, 30), 0);
  EXPECT_EQ(labels_.at<uchar>(13, 30), kUnpainted);
  EXPECT_EQ(labels_.at<uchar>(10, 5), kUnpainted);
  canvas_.setClassNumber(1);
  drag({300, 50}, {300, 400});
  EXPECT_EQ(labels_.at<uchar>(10, 30), 1);  // the last one counts
  EXPECT_EQ(painted_.count(), 2);
}

TEST_F(PaintCanvasTest, TheRightButtonErasesAndSoDoesErasing) {
  drag({100, 100}, {500, 100});
  drag({300, 100}, {320, 100}, Qt::RightButton);
  EXPECT_EQ(labels_.at<uchar>(10, 31), kUnpainted);
  EXPECT_EQ(labels_.at<uchar>(10, 20), 0);
  canvas_.setErasing(true);
  drag({200, 100}, {210, 100});
  EXPECT_EQ(labels_.at<uchar>(10, 20), kUnpainted);
}

TEST_F(PaintCanvasTest, AStrokeIsOneStepAndUndoStopsAtTheFirst) {
  drag({100, 100}, {500, 100});
  const int first = count(0);
  drag({100, 300}, {500, 300});
  canvas_.undo();
  EXPECT_EQ(count(0), first);
  canvas_.undo();
  EXPECT_EQ(count(0), 0);
  canvas_.undo();
  EXPECT_EQ(count(0), 0);
  EXPECT_EQ(said_.count(), 1);
  canvas_.redo();
  canvas_.redo();
  EXPECT_EQ(count(0), 2 * first);
  EXPECT_EQ(painted_.count(), 6);
}

TEST_F(PaintCanvasTest, APolygonIsClosedByEnterOrADoubleClick) {
  canvas_.setTool(PaintTool::polygon);
  for (const QPoint& at : {QPoint(100, 100), QPoint(300, 100), QPoint(300, 300)}) click(at);
  EXPECT_EQ(painted_.count(), 0);
  QTest::keyClick(&canvas_, Qt::Key_Return);
  EXPECT_EQ(painted_.count(), 1);
  EXPECT_NEAR(count(0), 200, 45);
  EXPECT_EQ(labels_.at<uchar>(12, 25), 0);
  EXPECT_EQ(labels_.at<uchar>(28, 12), kUnpainted);
  click({400, 100});
  QTest::keyClick(&canvas_, Qt::Key_Return);  // one corner is no polygon
  EXPECT_EQ(painted_.count(), 1);
  QTest::keyClick(&canvas_, Qt::Key_Escape);
  EXPECT_TRUE(canvas_.corners().empty());
}

TEST_F(PaintCanvasTest, AClickGivesAnAreaToAClassAndAPartOfItToAnother) {
  canvas_.setTool(PaintTool::area);
  click({50, 240});
  EXPECT_EQ(painted_.count(), 0);
  ASSERT_EQ(said_.count(), 1);  // why not
  showAreas();
  turn(+99);
  ASSERT_EQ(canvas_.areas(), PaintCanvas::kFewestAreas);
  const QImage before = canvas_.grab().toImage();
  hands::moveTo(&canvas_, {50, 240});
  EXPECT_NE(canvas_.grab().toImage(), before) << "what a click would paint";
  click({50, 240});
  EXPECT_EQ(count(0), 32 * 48);
  turn(-4);
  canvas_.setClassNumber(1);
  click({50, 240});
  EXPECT_GT(count(1), 0);
  EXPECT_EQ(count(0) + count(1), 32 * 48);
  EXPECT_LT(count(1), 32 * 48);
  click({50, 240}, Qt::RightButton);
  EXPECT_EQ(count(1), 0);
}

// It paints in one step, and skips none however quick the mouse is.
TEST_F(PaintCanvasTest, ADragPaintsEachAreaThatItCrosses) {
  canvas_.setTool(PaintTool::area);
  showAreas();
  for (int key = 0; key < 9; ++key) QTest::keyClick(&canvas_, Qt::Key_Plus);
  drag({20, 20}, {620, 20});
  EXPECT_NEAR(count(0), 48 * 48, 4);  // all but the lower right quarter, whose corner is smoothed
  EXPECT_EQ(painted_.count(), 1);
  canvas_.undo();
  EXPECT_EQ(count(0), 0);
}

TEST_F(PaintCanvasTest, WithCtrlTheWheelZoomsWhileAreasArePainted) {
  canvas_.setTool(PaintTool::area);
  showAreas();
  const int areas = canvas_.areas();
  turn(+3, Qt::ControlModifier);
  EXPECT_EQ(canvas_.areas(), areas);
  QTest::keyClick(&canvas_, Qt::Key_Minus);
  EXPECT_GT(canvas_.areas(), areas);
}

TEST_F(PaintCanvasTest, EverythingGoesByKeys) {
  for (int i = 0; i < 40; ++i) QTest::keyClick(&canvas_, Qt::Key_Left);
  QTest::keyClick(&canvas_, Qt::Key_Space);  // lowers the brush
  for (int i = 0; i < 10; ++i) QTest::keyClick(&canvas_, Qt::Key_Right);
  QTest::keyClick(&canvas_, Qt::Key_Space);
  EXPECT_EQ(painted_.count(), 1);
  EXPECT_EQ(labels_.at<uchar>(24, 5), 0);
  const int before = count(0);
  QTest::keyClick(&canvas_, Qt::Key_Right);  // lifted
  EXPECT_EQ(count(0), before);
  canvas_.setTool(PaintTool::polygon);
  QTest::keyClick(&canvas_, Qt::Key_Space);
  for (int i = 0; i < 8; ++i) QTest::keyClick(&canvas_, Qt::Key_Down);
  QTest::keyClick(&canvas_, Qt::Key_Space);
  for (int i = 0; i < 8; ++i) QTest::keyClick(&canvas_, Qt::Key_Right);
  QTest::keyClick(&canvas_, Qt::Key_Space);
  QTest::keyClick(&canvas_, Qt::Key_Backspace);
  EXPECT_EQ(canvas_.corners().size(), 2U);
  QTest::keyClick(&canvas_, Qt::Key_Space);
  QTest::keyClick(&canvas_, Qt::Key_Return);
  EXPECT_GT(count(0), before + 20);
}

TEST_F(PaintCanvasTest, WithoutAClassItSaysSo) {
  canvas_.setClassNumber(-1);
  drag({100, 100}, {500, 100});
  EXPECT_EQ(painted_.count(), 0);
  EXPECT_EQ(said_.count(), 1);
}

TEST_F(PaintCanvasTest, APreviewIsNotPaintedOn) {
  canvas_.setPreview(cv::Mat(48, 64, CV_8U, cv::Scalar(1)));
  ASSERT_TRUE(canvas_.isPreviewing());
  drag({100, 100}, {500, 100});
  EXPECT_EQ(painted_.count(), 0);
  const QColor there = canvas_.grab().toImage().pixelColor(320, 120);
  canvas_.setPreview({});
  EXPECT_NE(canvas_.grab().toImage().pixelColor(320, 120), there);
}

TEST_F(PaintCanvasTest, ZoomedItPaintsUnderTheMouse) {
  QTest::keyClick(&canvas_, Qt::Key_Plus);
  QTest::keyClick(&canvas_, Qt::Key_Plus);
  click({320, 240});  // the middle stays where it is
  EXPECT_EQ(labels_.at<uchar>(24, 32), 0);
  EXPECT_LT(count(0), 20);
}

TEST_F(PaintCanvasTest, HoldsNothingOfAFrameThatIsGone) {
  canvas_.show(nullptr, nullptr, nullptr);
  drag({100, 100}, {500, 100});
  for (const int key : {Qt::Key_Space, Qt::Key_Left, Qt::Key_Return, Qt::Key_F})
    QTest::keyClick(&canvas_, static_cast<Qt::Key>(key));
  canvas_.undo();
  canvas_.redo();
  canvas_.grab();
  EXPECT_EQ(painted_.count(), 0);
}

}  // namespace
}  // namespace mpm::gui
