// SPDX-License-Identifier: Apache-2.0
// What was taught paints what is not painted.
#include <QSignalSpy>

#include "gui/teach/teach_window_case.h"

namespace mpm::gui {
namespace {

// The frame that was come to meanwhile was painted all over, and the one that was meant was not.
TEST_F(TeachWindowTest, FillsNoOtherFrameThanTheOneThatWasMeant) {
  paintThree();
  ASSERT_TRUE(teach());
  QSignalSpy found(&window_->worker(), &TeachWorker::found);
  for (const int number : {7, 8}) {
    number_ = number;
    window_->takeFrame();
  }
  const QString other = window_->frameShown();
  QTest::keyClick(window_.get(), Qt::Key_PageUp);
  const QString meant = window_->frameShown();
  QTest::keyClick(window_.get(), Qt::Key_F6);
  QTest::keyClick(window_.get(), Qt::Key_PageDown);
  ASSERT_EQ(window_->frameShown(), other);
  ASSERT_TRUE(waitFor([&] { return found.count() == 1; }));
  QTest::keyClick(window_.get(), Qt::Key_V);  // found behind whatever else was asked for
  ASSERT_TRUE(waitFor([&] { return window_->canvas()->isPreviewing(); }));
  EXPECT_LT(paintedShare(kept(other)), 1);
  QTest::keyClick(window_.get(), Qt::Key_PageUp);
  ASSERT_EQ(window_->frameShown(), meant);
  QTest::keyClick(window_.get(), Qt::Key_F6);
  EXPECT_TRUE(waitFor([&] { return paintedShare(kept(meant)) == 1; }));
}

TEST_F(TeachWindowTest, FillsOnlyWhatItIsSureOf) {
  paintThree();
  EXPECT_FALSE(window_->sureAlone()->isEnabled()) << "nothing was taught";
  ASSERT_TRUE(teach());
  takeEmpty(7);
  const QString name = window_->frameShown();
  QTest::keyClick(window_.get(), Qt::Key_U);
  ASSERT_TRUE(window_->sureAlone()->isChecked());
  window_->fillRest();
  ASSERT_TRUE(waitFor([&] { return paintedShare(kept(name)) > 0; }));
  const double sure = paintedShare(kept(name));
  EXPECT_GT(sure, 0.2);
  EXPECT_LT(sure, 1);
  QTest::keyClick(window_.get(), Qt::Key_U);
  window_->fillRest();
  EXPECT_TRUE(waitFor([&] { return paintedShare(kept(name)) == 1; }));
}

// What the preview was looking for when the key was pressed was filled in: what it is not sure of,
// too.
TEST_F(TeachWindowTest, FillsOnlyWhatItIsSureOfAlsoWhereItLookedForMoreBefore) {
  paintThree();
  ASSERT_TRUE(teach());
  takeEmpty(7);
  const QString name = window_->frameShown();
  QTest::keyClick(window_.get(), Qt::Key_V);
  QTest::keyClick(window_.get(), Qt::Key_U);
  QTest::keyClick(window_.get(), Qt::Key_F6);
  ASSERT_TRUE(waitFor([&] { return paintedShare(kept(name)) > 0; }));
  EXPECT_LT(paintedShare(kept(name)), 1);
}

TEST_F(TeachWindowTest, ABrushTakesWhatWasTaughtWhereItGoes) {
  paintThree();
  EXPECT_FALSE(window_->acceptBrush()->isEnabled()) << "nothing was taught";
  ASSERT_TRUE(teach());
  takeEmpty(7);
  const QString name = window_->frameShown();
  QSignalSpy found(&window_->worker(), &TeachWorker::found);
  QTest::keyClick(window_.get(), Qt::Key_A);
  ASSERT_EQ(window_->canvas()->tool(), PaintTool::found);
  ASSERT_TRUE(waitFor([&] { return found.count() > 0; }));
  drawStroke();
  const cv::Mat labels = kept(name);
  const double painted = paintedShare(labels);
  EXPECT_GT(painted, 0);
  EXPECT_LT(painted, 0.5);
  cv::Mat there = labels != kUnpainted;
  const cv::Mat suggested = found.last()[1].value<cv::Mat>();
  EXPECT_EQ(cv::countNonZero((labels != suggested) & there), 0);
  window_->canvas()->undo();
  EXPECT_EQ(paintedShare(kept(name)), 0);
  ASSERT_TRUE(window_->openProject(path("other")));
  EXPECT_EQ(window_->canvas()->tool(), PaintTool::area) << "nothing was taught there";
}

}  // namespace
}  // namespace mpm::gui
