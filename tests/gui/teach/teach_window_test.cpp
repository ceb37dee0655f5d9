// SPDX-License-Identifier: Apache-2.0
// Frames and classes of the window, what is painted and kept, and the keys for it.
#include <gtest/gtest.h>

#include <QApplication>
#include <QCoreApplication>
#include <QDir>
#include <QEvent>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QScreen>
#include <QScrollBar>
#include <QTimer>
#include <algorithm>
#include <string>
#include <vector>

#include "gui/teach/teach_window.h"
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
  EXPECT_TRUE(window_->said().contains("already a class sky"));
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

// Guards against keeping 14 of the previous frame's 21 strokes.
TEST_F(TeachWindowTest, AnotherFrameBeginsWithTheLastPaintingWithoutWhatMoved) {
  addClasses({"sky", "ground", "box"});
  window_->takeFrame();
  EXPECT_EQ(paintedShare(kept(window_->frameShown())), 0) << "there is none yet";
  paintScene(0);
  number_ = 1;  // the box stands elsewhere
  window_->takeFrame();
  EXPECT_TRUE(window_->said().contains("carried over")) << qPrintable(window_->said());
  const QString name = window_->frameShown();
  const cv::Mat labels = kept(name), truth = paintedScene(1).labels;
  EXPECT_GT(paintedShare(labels), 0.5);
  EXPECT_EQ(cv::countNonZero((labels != truth) & (labels != kUnpainted)), 0);
  window_->canvas()->undo();
  EXPECT_EQ(paintedShare(kept(name)), 0);
}

// A box hid a part of the last annotation; the frame before supplies it.
TEST_F(TeachWindowTest, WhereSomethingStoodForAWhileTheEarlierPaintingCounts) {
  addClasses({"sky", "ground", "box"});
  window_->takeFrame();
  paintScene(0);
  for (const int number : {1, 10}) {  // the box stands elsewhere, and where it stood at first
    number_ = number;
    window_->takeFrame();
  }
  const cv::Mat labels = kept(window_->frameShown()), truth = paintedScene(10).labels;
  const cv::Rect inside(2, 2, 60, 44);
  EXPECT_EQ(cv::countNonZero(labels(inside) != truth(inside)), 0);
}

TEST_F(TeachWindowTest, AreasAreThereBeforeAnythingIsPaintedAndGiveTheirColour) {
  QTest::keyClick(window_.get(), Qt::Key_G);
  ASSERT_EQ(window_->canvas()->tool(), PaintTool::area);
  QTest::keyClick(window_.get(), Qt::Key_N, Qt::ControlModifier);
  QTest::keyClick(window_->classes()->findChild<QLineEdit*>(), Qt::Key_Return);
  const QColor proposed = window_->project()->classes()[0].colour;
  window_->takeFrame();
  PaintCanvas* canvas = window_->canvas();
  ASSERT_TRUE(waitFor([&] { return canvas->areas() > 0; }));
  for (int notch = 0; notch < 6; ++notch) QTest::keyClick(canvas, Qt::Key_Plus);
  const double scale = std::min(canvas->width() / 64.0, canvas->height() / 48.0);
  QTest::mouseClick(canvas, Qt::LeftButton, {},
                    canvas->rect().center() - QPoint(0, static_cast<int>(18 * scale)));
  const cv::Mat labels = kept(window_->frameShown()), sky = paintedScene(0).labels == 0;
  EXPECT_EQ(cv::countNonZero((labels == 0) != sky), 0) << "all of the sky, and no more";
  const QColor fitted = window_->project()->classes()[0].colour;
  EXPECT_NE(fitted, proposed);
  EXPECT_NEAR(fitted.hsvHue(), QColor(80, 160, 220).hsvHue(), 10);
}

TEST_F(TeachWindowTest, FitsOnItsScreen) {
  const QSize room = window_->screen()->availableSize();
  EXPECT_LE(window_->width(), room.width());
  EXPECT_LE(window_->height(), room.height());
}

// Guards against a list of ten with a scroll bar, above an empty panel.
TEST_F(TeachWindowTest, TwelveClassesAreSeenAtOnce) {
  std::vector<PaintClass> classes;
  for (int i = 0; i < 12; ++i) classes.push_back({QString("class %1").arg(i), Qt::red});
  emit window_->classes()->wanted(classes);
  for (const QSize size : {QSize(1280, 800), QSize(900, 600)}) {
    window_->resize(size);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    const ClassList& list = *window_->classes();
    EXPECT_TRUE(waitFor([&] { return list.verticalScrollBar()->maximum() == 0; })) << size.width();
    EXPECT_EQ(list.count(), 12);
  }
}

TEST_F(TeachWindowTest, Of150ClassesAsManyAreSeenAsThereIsRoomFor) {
  std::vector<PaintClass> classes;
  for (int i = 0; i < 150; ++i) classes.push_back({QString("class %1").arg(i), Qt::red});
  const QSize size(900, 600);
  window_->resize(size);
  window_->backbone()->offerPublic("The built-in backbone knows only drawn streets.");
  emit window_->classes()->wanted(classes);
  const ClassList& list = *window_->classes();
  ASSERT_EQ(list.count(), 150);
  EXPECT_TRUE(waitFor([&] { return list.verticalScrollBar()->maximum() > 0; }));
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  EXPECT_EQ(window_->size(), size);
  for (const auto* button : window_->findChildren<QPushButton*>()) {
    const QRect place(button->mapTo(window_.get(), QPoint(0, 0)), button->size());
    EXPECT_TRUE(window_->rect().contains(place)) << qPrintable(button->text());
    EXPECT_GE(button->height(), button->minimumSizeHint().height()) << qPrintable(button->text());
  }
  window_->classes()->choose(149);
  EXPECT_TRUE(list.viewport()->rect().contains(list.visualItemRect(list.item(149))));
}

TEST_F(TeachWindowTest, AFramesTimeIsSeenToTheSecondWhereDatesAreLong) {
  QLocale::setDefault(QLocale(QLocale::French, QLocale::France));
  number_ = 0;
  window_->takeFrame();
  const auto* frames = window_->findChild<FrameList*>();
  const QListWidgetItem* frame = frames->item(0);
  EXPECT_TRUE(waitFor([&] { return frame->text().contains('%'); }));
  for (const QString& line : frame->text().split('\n')) {
    EXPECT_LE(frames->fontMetrics().horizontalAdvance(line), frames->iconSize().width())
        << line.toStdString();
  }
  QLocale::setDefault(QLocale::c());
}

// Nobody closes it, as in a crash.
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

// The files cannot be written, as on a full disk.
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

// Guards against losing it without a word.
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
