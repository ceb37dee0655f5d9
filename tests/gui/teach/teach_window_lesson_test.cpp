// SPDX-License-Identifier: Apache-2.0
// Teaching: what it gives, what it lacks, and how it ends.
#include <QSignalSpy>
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
