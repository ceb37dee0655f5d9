// SPDX-License-Identifier: Apache-2.0
// Frames and classes of the window, and the keys that choose them.
#include "gui/teach/teach_window.h"

#include <QApplication>
#include <QMessageBox>
#include <QTimer>

#include "gui/teach/teach_window_case.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

TEST_F(TeachWindowTest, WithoutAPictureItSaysSo) {
  number_ = -1;
  window_->takeFrame();
  EXPECT_TRUE(window_->said().contains("no picture"));
  EXPECT_TRUE(window_->frames()->count() == 0);
}

TEST_F(TeachWindowTest, WithoutARecordThereIsNothingToTakeOfIt) {
  window_->takeOfRecord();
  EXPECT_TRUE(window_->said().contains("Nothing is recorded"));
}

TEST_F(TeachWindowTest, KeysChooseClassesAndTheBrush) {
  addClasses({"sky", "ground"});
  window_->takeFrame();
  QTest::keyClick(window_->canvas(), Qt::Key_1);
  EXPECT_EQ(window_->classes()->currentRow(), 0);
  QTest::keyClick(window_->canvas(), Qt::Key_2);
  EXPECT_EQ(window_->classes()->currentRow(), 1);
  QTest::keyClick(window_->canvas(), Qt::Key_9);  // there is none
  EXPECT_EQ(window_->classes()->currentRow(), 1);
  const int before = window_->canvas()->brush();
  QTest::keyClick(window_->canvas(), Qt::Key_BracketRight);
  EXPECT_GT(window_->canvas()->brush(), before);
  for (int i = 0; i < 99; ++i) QTest::keyClick(window_->canvas(), Qt::Key_BracketLeft);
  EXPECT_EQ(window_->canvas()->brush(), PaintCanvas::kLeastBrush);
}

TEST_F(TeachWindowTest, ANameThatIsThereIsRefusedAndTheOldOneStays) {
  addClasses({"sky", "ground"});
  window_->classes()->item(1)->setText("sky");
  EXPECT_TRUE(window_->said().contains("a class sky already"));
  EXPECT_EQ(window_->classes()->item(1)->text(), "ground");
}

TEST_F(TeachWindowTest, ARemovedClassIsAskedForAndGone) {
  paintThree();
  const QString name = window_->frameShown();
  const auto answer = [&](QMessageBox::StandardButton button) {
    QString asked;
    window_->activateWindow();  // again, behind a dialog
    EXPECT_TRUE(waitForActive(window_.get()));
    QTimer::singleShot(0, window_.get(), [&, button] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      ASSERT_TRUE(box != nullptr);
      asked = box->text();
      QTest::mouseClick(box->button(button), Qt::LeftButton);
    });
    window_->classes()->choose(0);
    QTest::keyClick(window_.get(), Qt::Key_Delete, Qt::ControlModifier);
    return asked;
  };
  EXPECT_TRUE(answer(QMessageBox::No).contains("sky"));
  EXPECT_EQ(window_->project()->classes().size(), 3U);
  EXPECT_TRUE(answer(QMessageBox::Yes).contains("3 frames"));
  ASSERT_EQ(window_->project()->classes().size(), 2U);
  EXPECT_EQ(window_->classes()->item(0)->text(), "ground");
  EXPECT_EQ(window_->frameShown(), name);
  EXPECT_TRUE(waitFor([&] {  // also of those that are not shown
    for (int row = 0; row < 3; ++row) {
      const double share = 100 * paintedShare(kept(window_->frames()->nameAt(row)));
      if (!window_->frames()->item(row)->text().contains(QString("%1%").arg(share, 0, 'f', 0)))
        return false;
    }
    return true;
  }));
  const cv::Mat inside = paintedScene(2).labels(cv::Rect(2, 2, 60, 44));
  const cv::Mat labels = kept(name)(cv::Rect(2, 2, 60, 44));
  EXPECT_EQ(cv::countNonZero(labels == 0), cv::countNonZero(inside == 1));
  EXPECT_EQ(cv::countNonZero(labels == kUnpainted), cv::countNonZero(inside == 0));
  window_->canvas()->undo();
  EXPECT_EQ(cv::norm(kept(name)(cv::Rect(2, 2, 60, 44)), labels, cv::NORM_INF), 0);
}

}  // namespace
}  // namespace mpm::gui
