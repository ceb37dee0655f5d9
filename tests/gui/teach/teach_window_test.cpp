// SPDX-License-Identifier: Apache-2.0
// The window as somebody uses it who has no engine running: frames come from `newest`.
#include "gui/teach/teach_window.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QScreen>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "in_project.h"
#include "mpm/segmenter.h"
#include "mpm/teach.h"
#include "teach/painted_frames.h"

namespace mpm::gui {
namespace {

using mpm::test::PaintedScene;
using mpm::test::paintedScene;

bool waitFor(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 60000); }

class TeachWindowTest : public testing::Test {
 protected:
  TeachWindowTest() { make(); }

  void make() {
    TeachHost host;
    host.newest = [this]() -> monitor::FrameResultPtr {
      if (number_ < 0) return nullptr;
      auto result = std::make_shared<monitor::FrameResult>();
      result->frame.picture = paintedScene(number_).frame;
      return result;
    };
    host.engine = [] { return std::shared_ptr<monitor::Engine>(); };
    host.backbone = [] {
      const std::string model = test::inProject("tests/models/segmenter_mask.onnx");
      return Backbone{QString::fromStdString(model), "cpu", "fp32"};
    };
    window_ = std::make_unique<TeachWindow>(host);
    window_->show();
    window_->openProject(path("yard"));
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
  }
  QString path(const QString& name) const { return folder_.filePath(name); }

  void addClasses(const QStringList& names) {
    for (const QString& name : names) {
      window_->classes()->addClass(window_->project()->freshColour());
      QWidget* editor = window_->classes()->findChild<QLineEdit*>();
      ASSERT_TRUE(editor != nullptr);
      QTest::keyClicks(editor, name);
      QTest::keyClick(editor, Qt::Key_Return);
      ASSERT_TRUE(waitFor([&] {
        return window_->project()->classes().back().name == name &&
               window_->classes()->findChild<QLineEdit*>() == nullptr;
      }));
    }
  }
  // As painted, but for a border.
  void paintScene(int number) {
    window_->canvas()->edit([number](cv::Mat& labels) {
      const cv::Rect inside(2, 2, labels.cols - 4, labels.rows - 4);
      paintedScene(number).labels(inside).copyTo(labels(inside));
    });
  }
  void paintThree() {
    addClasses({"sky", "ground", "box"});
    for (const int number : {0, 1, 2}) {
      number_ = number;
      window_->takeFrame();
      paintScene(number);
    }
  }
  bool teach() {
    QSignalSpy ended(&window_->worker(), &TeachWorker::taught);
    window_->teach();
    return waitFor([&] { return ended.count() == 1; });
  }
  void drawStroke() {
    PaintCanvas* canvas = window_->canvas();
    const QPoint middle = canvas->rect().center();
    QTest::mousePress(canvas, Qt::LeftButton, {}, middle);
    QTest::mouseMove(canvas, middle + QPoint(40, 0));
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, middle + QPoint(40, 0));
  }
  cv::Mat file(const QString& name) const {
    return PaintProject(path("yard")).labels(name, {64, 48});
  }
  cv::Mat kept(const QString& name) const {
    if (window_) window_->saveAll();
    return file(name);
  }

  QTemporaryDir folder_;
  int number_ = 0;
  std::unique_ptr<TeachWindow> window_;
};

TEST_F(TeachWindowTest, FitsOnItsScreen) {
  const QSize room = window_->screen()->availableSize();
  EXPECT_LE(window_->width(), room.width());
  EXPECT_LE(window_->height(), room.height());
}

// Seen: a list of ten of them with a scroll bar, above a panel that was empty.
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

TEST_F(TeachWindowTest, WithoutAPictureItSaysSo) {
  number_ = -1;
  window_->takeFrame();
  EXPECT_TRUE(window_->said().contains("no picture"));
  EXPECT_TRUE(window_->frames()->count() == 0);
}

// Nobody closed it: as if it had crashed.
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

TEST_F(TeachWindowTest, TeachesFillsAndGivesAModelThatReads) {
  paintThree();
  ASSERT_TRUE(teach());
  ASSERT_TRUE(window_->worker().hasTaught()) << qPrintable(window_->lesson()->told());
  EXPECT_EQ(window_->lesson()->table()->rowCount(), 3);
  EXPECT_GT(window_->lesson()->table()->item(0, 3)->text().toDouble(), 80);
  number_ = 7;  // never seen
  window_->takeFrame();
  window_->fillRest();
  ASSERT_TRUE(waitFor([&] { return window_->project()->isPainted(window_->frameShown()); }));
  EXPECT_GT(mpm::test::agreement(kept(window_->frameShown()), paintedScene(7).labels), 0.85);
  window_->canvas()->undo();
  EXPECT_EQ(paintedShare(kept(window_->frameShown())), 0);

  QSignalSpy models(window_.get(), &TeachWindow::modelTaught);
  window_->useModel();
  window_->useModel();  // never the same file
  ASSERT_TRUE(waitFor([&] { return models.count() == 2; }));
  const QString first = models[0][0].toString();
  EXPECT_NE(first, models[1][0].toString());
  Segmenter segmenter(first.toStdString());
  EXPECT_EQ(segmenter.classes(), (std::vector<std::string>{"sky", "ground", "box"}));
  segmenter.setSchedule({});
  const PaintedScene scene = paintedScene(8);
  EXPECT_GT(mpm::test::agreement(segmenter.segment(scene.frame).labels, scene.labels), 0.85);
}

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
  EXPECT_FALSE(window_->project()->isPainted(other));
  QTest::keyClick(window_.get(), Qt::Key_PageUp);
  ASSERT_EQ(window_->frameShown(), meant);
  QTest::keyClick(window_.get(), Qt::Key_F6);
  EXPECT_TRUE(waitFor([&] { return paintedShare(kept(meant)) == 1; }));
}

TEST_F(TeachWindowTest, FillsOnlyWhatItIsSureOf) {
  paintThree();
  EXPECT_FALSE(window_->sureAlone()->isEnabled()) << "nothing was taught";
  ASSERT_TRUE(teach());
  number_ = 7;
  window_->takeFrame();
  const QString name = window_->frameShown();
  QTest::keyClick(window_.get(), Qt::Key_U);
  ASSERT_TRUE(window_->sureAlone()->isChecked());
  window_->fillRest();
  ASSERT_TRUE(waitFor([&] { return window_->project()->isPainted(name); }));
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
  number_ = 7;
  window_->takeFrame();
  const QString name = window_->frameShown();
  QTest::keyClick(window_.get(), Qt::Key_V);
  QTest::keyClick(window_.get(), Qt::Key_U);
  QTest::keyClick(window_.get(), Qt::Key_F6);
  ASSERT_TRUE(waitFor([&] { return window_->project()->isPainted(name); }));
  EXPECT_LT(paintedShare(kept(name)), 1);
}

TEST_F(TeachWindowTest, ABrushTakesWhatWasTaughtWhereItGoes) {
  paintThree();
  EXPECT_FALSE(window_->acceptBrush()->isEnabled()) << "nothing was taught";
  ASSERT_TRUE(teach());
  number_ = 7;
  window_->takeFrame();
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
  EXPECT_EQ(window_->canvas()->tool(), PaintTool::brush) << "nothing was taught there";
}

TEST_F(TeachWindowTest, TellsHowUnsureItIsOfFiles) {
  paintThree();
  ASSERT_TRUE(teach());
  const std::string frame =
      path("yard/images/" + window_->project()->frames().front() + ".png").toStdString();
  std::vector<double> told;
  window_->worker().doubt({frame, path("gone.png").toStdString()},
                          std::make_shared<std::atomic<bool>>(false),
                          [&](const std::vector<double>& doubts, const QString& fault) {
                            EXPECT_EQ(fault, "");
                            told = doubts;
                          });
  ASSERT_TRUE(waitFor([&] { return told.size() == 2; }));
  EXPECT_GT(told[0], 0);
  EXPECT_LT(told[0], 1);
  EXPECT_TRUE(std::isnan(told[1]));
}

TEST_F(TeachWindowTest, CancelsAndTeachesAgain) {
  paintThree();
  QSignalSpy ended(&window_->worker(), &TeachWorker::taught);
  window_->teach();
  EXPECT_TRUE(window_->worker().isTeaching());
  window_->teach();  // the same button
  ASSERT_TRUE(waitFor([&] { return ended.count() == 1; }));
  EXPECT_FALSE(window_->worker().hasTaught());
  EXPECT_EQ(window_->lesson()->told(), "Cancelled.");
  ASSERT_TRUE(teach());
  EXPECT_TRUE(window_->worker().hasTaught());
}

// Its classes are none of the other folder's.
TEST_F(TeachWindowTest, AnotherFolderForgetsWhatWasTaughtOrIsBeingTaught) {
  paintThree();
  ASSERT_TRUE(teach());
  ASSERT_TRUE(window_->openProject(path("other")));
  EXPECT_FALSE(window_->worker().hasTaught());
  ASSERT_TRUE(window_->openProject(path("yard")));
  QSignalSpy ended(&window_->worker(), &TeachWorker::taught);
  window_->teach();
  ASSERT_TRUE(window_->openProject(path("other")));
  ASSERT_TRUE(waitFor([&] { return ended.count() == 1; }));
  EXPECT_FALSE(window_->worker().hasTaught());
}

TEST_F(TeachWindowTest, EndsWhileItTeaches) {
  paintThree();
  window_->teach();
  window_.reset();
  EXPECT_EQ(PaintProject(path("yard")).frames().size(), 3);
}

TEST_F(TeachWindowTest, SaysWhatIsMissingToTeach) {
  addClasses({"sky", "ground"});
  window_->takeFrame();
  ASSERT_TRUE(teach());
  EXPECT_TRUE(window_->lesson()->told().contains("nothing is painted"));
  window_->canvas()->edit([](cv::Mat& labels) { labels.setTo(1); });
  ASSERT_TRUE(teach());
  EXPECT_TRUE(window_->lesson()->told().contains("only one class"));
}

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
  ASSERT_TRUE(found.wait(60000));
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

TEST_F(TeachWindowTest, ARemovedClassIsAskedForAndGone) {
  paintThree();
  const QString name = window_->frameShown();
  const auto answer = [&](QMessageBox::StandardButton button) {
    QString asked;
    window_->activateWindow();  // again, behind a dialog
    EXPECT_TRUE(QTest::qWaitForWindowActive(window_.get()));
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

TEST_F(TeachWindowTest, WithoutARecordThereIsNothingToTakeOfIt) {
  window_->takeOfRecord();
  EXPECT_TRUE(window_->said().contains("Nothing is recorded"));
}

}  // namespace
}  // namespace mpm::gui
