// SPDX-License-Identifier: Apache-2.0
// What was taught is shown on the camera.
#include <QSignalSpy>

#include "gui/teach/teach_window_case.h"

namespace mpm::gui {
namespace {

TEST_F(TeachWindowTest, ShowsWhatWasTaughtOnTheCameraAsItGoesOn) {
  paintThree();
  EXPECT_FALSE(window_->cameraPreview()->isEnabled()) << "nothing was taught";
  ASSERT_TRUE(teach());
  const QString painted = window_->frameShown();
  const cv::Mat before = kept(painted);
  QSignalSpy found(&window_->worker(), &TeachWorker::found);
  QTest::keyClick(window_.get(), Qt::Key_V, Qt::ShiftModifier);
  ASSERT_TRUE(window_->cameraPreview()->isChecked());
  ASSERT_TRUE(waitFor([&] { return found.count() >= 3 && window_->canvas()->isPreviewing(); }))
      << "one frame after the other";
  drawStroke();
  EXPECT_EQ(cv::norm(kept(painted), before, cv::NORM_INF), 0) << "nobody paints on what moves";
  QTest::keyClick(window_.get(), Qt::Key_V, Qt::ShiftModifier);
  EXPECT_FALSE(window_->canvas()->isPreviewing());
  EXPECT_EQ(window_->frameShown(), painted);
  drawStroke();
  EXPECT_NE(cv::norm(kept(painted), before, cv::NORM_INF), 0);
}

// What was found in an earlier frame lay over a later one, which may be of another size: of two
// looks at the camera each answer was taken for that of the other.
TEST_F(TeachWindowTest, ShowsNothingOfAnEarlierLookAtTheCamera) {
  paintThree();
  ASSERT_TRUE(teach());
  QSignalSpy found(&window_->worker(), &TeachWorker::found);
  for (int key = 0; key < 3; ++key) QTest::keyClick(window_.get(), Qt::Key_V, Qt::ShiftModifier);
  ASSERT_TRUE(window_->cameraPreview()->isChecked());
  ASSERT_TRUE(waitFor([&] { return found.count() > 0; }));
  if (found.count() == 1) {
    EXPECT_FALSE(window_->canvas()->isPreviewing());
  }
  EXPECT_TRUE(waitFor([&] { return window_->canvas()->isPreviewing(); }));
}

// Seen: what was taught ran on each frame of the camera, behind a window that was closed.
TEST_F(TeachWindowTest, LooksAtNoCameraOnceItIsClosed) {
  paintThree();
  ASSERT_TRUE(teach());
  QSignalSpy found(&window_->worker(), &TeachWorker::found);
  QTest::keyClick(window_.get(), Qt::Key_V, Qt::ShiftModifier);
  ASSERT_TRUE(waitFor([&] { return found.count() >= 2; }));
  const QString painted = window_->frames()->nameAt(window_->frames()->currentRow());
  window_->close();
  EXPECT_FALSE(window_->cameraPreview()->isChecked());
  EXPECT_FALSE(window_->canvas()->isPreviewing());
  window_->show();
  EXPECT_EQ(window_->frameShown(), painted) << "as it was before the camera";
}

}  // namespace
}  // namespace mpm::gui
