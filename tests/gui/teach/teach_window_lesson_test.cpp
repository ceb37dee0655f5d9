// SPDX-License-Identifier: Apache-2.0
// Teaching: what it gives, what it lacks, and how it ends.
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

// By hand: each class with a click on the first frame, and on others what moved.
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

}  // namespace
}  // namespace mpm::gui
