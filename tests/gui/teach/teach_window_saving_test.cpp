// SPDX-License-Identifier: Apache-2.0
// What is painted is kept, or it is said that it cannot be.
#include <QApplication>
#include <QDir>
#include <QMessageBox>
#include <QTimer>

#include "gui/teach/teach_window_case.h"

namespace mpm::gui {
namespace {

// Nobody closed it: as if it had crashed.
TEST_F(TeachWindowTest, ACrashLosesNoStroke) {
  addClasses({"sky"});
  window_->takeFrame();
  const QString name = window_->frameShown();
  cv::Mat painted;
  for (int stroke = 0; stroke < 3; ++stroke) {
    const double before = paintedShare(painted);
    window_->canvas()->setBrush(3 + 4 * stroke);
    drawStroke();
    EXPECT_TRUE(waitFor([&] { return paintedShare(painted = file(name)) > before; })) << stroke;
  }
  window_.reset();
  EXPECT_EQ(cv::norm(kept(name), painted, cv::NORM_INF), 0);
  make();
  EXPECT_EQ(window_->frameShown(), name);
  EXPECT_EQ(window_->project()->classes().front().name, "sky");
  window_->canvas()->undo();  // what was undone then is not known any more; nothing is lost by it
  EXPECT_EQ(cv::norm(kept(name), painted, cv::NORM_INF), 0);
}

TEST_F(TeachWindowTest, UndoIsSavedToo) {
  addClasses({"sky"});
  window_->takeFrame();
  drawStroke();
  window_->canvas()->undo();
  EXPECT_EQ(paintedShare(kept(window_->frameShown())), 0);
  window_->canvas()->redo();
  EXPECT_GT(paintedShare(kept(window_->frameShown())), 0);
}

// As where the disk is full.
TEST_F(TeachWindowTest, WhatCannotBeWrittenStaysAndIsWrittenLater) {
  addClasses({"sky"});
  window_->takeFrame();
  const QString name = window_->frameShown(), labels = path("yard/labels");
  ASSERT_TRUE(QDir(labels).removeRecursively());
  drawStroke();
  EXPECT_TRUE(waitFor([&] { return window_->said().contains("cannot be written"); }))
      << qPrintable(window_->said());
  number_ = 1;
  window_->takeFrame();  // another frame, and back
  window_->frames()->choose(name);
  ASSERT_TRUE(QDir().mkpath(labels));
  QTest::keyClick(window_.get(), Qt::Key_S, Qt::ControlModifier);
  EXPECT_TRUE(window_->said().isEmpty()) << qPrintable(window_->said());
  EXPECT_GT(paintedShare(kept(name)), 0);
}

// Seen: it was gone, and nothing was said.
TEST_F(TeachWindowTest, AnotherFolderAsksBeforeItLosesWhatCannotBeWritten) {
  addClasses({"sky"});
  window_->takeFrame();
  const QString folder = window_->project()->folder();
  ASSERT_TRUE(QDir(path("yard/labels")).removeRecursively());
  drawStroke();
  const auto opens = [&](QMessageBox::StandardButton button) {
    QTimer::singleShot(0, window_.get(), [button] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      ASSERT_TRUE(box != nullptr);
      EXPECT_TRUE(box->text().contains("cannot be written")) << qPrintable(box->text());
      box->button(button)->click();
    });
    return window_->openProject(path("other"));
  };
  EXPECT_FALSE(opens(QMessageBox::Cancel));
  EXPECT_EQ(window_->project()->folder(), folder);
  EXPECT_TRUE(window_->said().contains("cannot be written")) << qPrintable(window_->said());
  EXPECT_TRUE(opens(QMessageBox::Discard));
  EXPECT_NE(window_->project()->folder(), folder);
}

}  // namespace
}  // namespace mpm::gui
