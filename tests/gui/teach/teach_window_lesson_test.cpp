// SPDX-License-Identifier: Apache-2.0
// Teaching: what it gives, what it lacks, how it ends; filling with it, and looks at the camera.
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gui/teach/teach_window_case.h"
#include "mpm/segmenter.h"

namespace mpm::gui {
namespace {

TEST_F(TeachWindowTest, TeachesFillsAndGivesAModelThatReads) {
  paintThree();
  ASSERT_TRUE(teach());
  ASSERT_TRUE(window_->worker().hasTaught()) << qPrintable(window_->lesson()->told());
  EXPECT_EQ(window_->lesson()->table()->rowCount(), 3);
  EXPECT_GT(window_->lesson()->table()->item(0, 3)->text().toDouble(), 80);
  takeEmpty(7);  // never seen
  window_->fillRest();
  EXPECT_TRUE(window_->isBusy()) << "at once";
  ASSERT_TRUE(waitFor([&] { return paintedShare(kept(window_->frameShown())) == 1; }));
  EXPECT_FALSE(window_->isBusy());
  EXPECT_GT(mpm::test::agreement(kept(window_->frameShown()), paintedScene(7).labels), 0.85);
  window_->canvas()->undo();
  EXPECT_EQ(paintedShare(kept(window_->frameShown())), 0);

  QSignalSpy models(window_.get(), &TeachWindow::modelTaught);
  window_->useModel();
  window_->useModel();  // never the same file
  EXPECT_TRUE(window_->isBusy());
  EXPECT_TRUE(window_->said().contains("Writing")) << qPrintable(window_->said());
  ASSERT_TRUE(waitFor([&] { return models.count() == 2; }));
  EXPECT_FALSE(window_->isBusy());
  const QString first = models[0][0].toString();
  EXPECT_NE(first, models[1][0].toString());
  Segmenter segmenter(first.toStdString());
  EXPECT_EQ(segmenter.classes(), (std::vector<std::string>{"sky", "ground", "box"}));
  segmenter.setSchedule({});
  const PaintedScene scene = paintedScene(8);
  EXPECT_GT(mpm::test::agreement(segmenter.segment(scene.frame).labels, scene.labels), 0.85);
}

// A hand clicks each class on the first frame, and moved things on others.
TEST_F(TeachWindowTest, FiveClicksTeachThreeClasses) {
  addClasses({"sky", "ground", "box"});
  QTest::keyClick(window_.get(), Qt::Key_G);
  PaintCanvas* canvas = window_->canvas();
  const auto click = [&](Qt::Key key, int x, int y) {
    QTest::keyClick(window_.get(), key);
    const double scale = std::min(canvas->width() / 64.0, canvas->height() / 48.0);
    const QPointF at((x - 32) * scale, (y - 24) * scale);
    QTest::mouseClick(canvas, Qt::LeftButton, {}, canvas->rect().center() + at.toPoint());
  };
  for (const int number : {0, 1, 2}) {
    number_ = number;
    window_->takeFrame();
    ASSERT_TRUE(waitFor([&] { return canvas->areas() > 0; }));
    while (canvas->areas() > PaintCanvas::kFewestAreas) QTest::keyClick(canvas, Qt::Key_Plus);
    if (number == 0) {
      click(Qt::Key_1, 32, 8);
      click(Qt::Key_2, 32, 45);
    }
    click(Qt::Key_3, number * 13 % 5 * 8 + 16, 32);
  }
  ASSERT_TRUE(teach());
  ASSERT_TRUE(window_->worker().hasTaught()) << qPrintable(window_->lesson()->told());
  for (int row = 0; row < 3; ++row)
    EXPECT_GT(window_->lesson()->table()->item(row, 3)->text().toDouble(), 80) << row;
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

// The classes belong to the first folder.
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
  window_->teach();
  EXPECT_EQ(window_->said(), "There must be two classes; add one (Ctrl+N).");
  addClasses({"sky", "ground"});
  window_->takeFrame();
  ASSERT_TRUE(teach());
  EXPECT_TRUE(window_->lesson()->told().contains("nothing is painted"));
  window_->canvas()->edit([](cv::Mat& labels) { labels.setTo(1); });
  ASSERT_TRUE(teach());
  EXPECT_TRUE(window_->lesson()->told().contains("only one class"));
}

// Guards against filling the frame reached meanwhile instead of the intended one.
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

// Guards against filling in what the preview was computing when the key was pressed, including
// unsure pixels.
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

// Guards against an earlier frame's result on a later one, maybe of another size: two looks at the
// camera took each other's answers.
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

// Guards against a trained head running on each frame after its window closed.
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
