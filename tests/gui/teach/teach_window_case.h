// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <string>

#include "gui/teach/teach_window.h"
#include "gui/wait_for.h"
#include "in_project.h"
#include "teach/painted_frames.h"

namespace mpm::gui {

using mpm::test::PaintedScene;
using mpm::test::paintedScene;

/// A window used without a running engine: frames come from `newest`.
class TeachWindowTest : public ::testing::Test {
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
    ASSERT_TRUE(waitForActive(window_.get()));
    QTest::keyClick(window_.get(), Qt::Key_B);  // most tests draw strokes
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
  // Paints the scene's labels except for a border.
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
  // Takes a frame without the previous annotation.
  void takeEmpty(int number) {
    number_ = number;
    window_->takeFrame();
    window_->canvas()->undo();
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

}  // namespace mpm::gui
