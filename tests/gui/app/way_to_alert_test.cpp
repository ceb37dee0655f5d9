// SPDX-License-Identifier: Apache-2.0
// The whole way of somebody with a camera and a mouse: from the first start to an alert.
#include <gtest/gtest.h>

#include <QDir>
#include <QFileDialog>
#include <QMenu>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <string>

#include "gui/app/rules_dialog.h"
#include "gui/app/window_parts.h"
#include "gui/hands.h"
#include "gui/wait_for.h"
#include "in_project.h"
#include "monitor/service/clips.h"

namespace mpm::gui {
namespace {

constexpr int kMostStrokes = 25;
const cv::Size kSize(320, 240);
const cv::Rect kPath(0, 96, 320, 64);

// Writes a lawn, a path across it and two people who walk to and fro.
void writeYard(const std::string& path) {
  constexpr int kFrames = 100;
  monitor::ClipWriter video(path, 10, kFrames);
  cv::RNG noise(7);
  for (int i = 0; i < kFrames; ++i) {
    cv::Mat frame(kSize, CV_8UC3, cv::Scalar(60, 140, 70));
    frame(kPath).setTo(cv::Scalar(170, 175, 180));
    const int step = std::min(i, kFrames - i);
    for (const int left : {40 + step, 200 - step})
      frame(cv::Rect(left, 100, 28, 56)).setTo(cv::Scalar(50, 40, 200));
    cv::Mat grain(kSize, CV_8SC3);
    noise.fill(grain, cv::RNG::NORMAL, 0, 4);
    cv::add(frame, grain, frame, {}, CV_8UC3);
    video.add(frame);
  }
}

// Counts the actions of a hand with a mouse: clicks, two for a double one, and strokes.
class Mouse {
 public:
  int count() const { return count_; }

  void click(QWidget* widget, QPoint at) {
    ASSERT_TRUE(reaches(widget, at)) << told(widget, at);
    ++count_;
    QTest::mouseClick(widget, Qt::LeftButton, {}, at);
  }
  void click(QWidget* widget) {
    ASSERT_NE(widget, nullptr);
    click(widget, widget->rect().center());
  }
  void clickTwice(QWidget* widget, QPoint at) {
    click(widget, at);
    ++count_;
    QTest::mouseDClick(widget, Qt::LeftButton, {}, at);
  }
  void stroke(QWidget* widget, QPoint from, QPoint to) {
    ASSERT_TRUE(reaches(widget, from)) << told(widget, from);
    ASSERT_TRUE(reaches(widget, to)) << told(widget, to);
    ++count_;
    QTest::mousePress(widget, Qt::LeftButton, {}, from);
    for (int part = 1; part <= 4; ++part) QTest::mouseMove(widget, from + (to - from) * part / 4);
    QTest::mouseRelease(widget, Qt::LeftButton, {}, to);
  }
  /// Clicks a button, of a bar or elsewhere, by its words.
  template <typename Button>
  void press(const QWidget& in, const QString& words) {
    Button* found = nullptr;
    ASSERT_TRUE(waitFor([&] {
      for (Button* button : in.findChildren<Button*>())
        if (button->isVisible() && button->text().remove('&') == words) found = button;
      return found != nullptr;
    })) << "no button "
        << qPrintable(words);
    click(found);
  }
  /// Clicks a button that opens a menu, then an entry.
  void choose(const QWidget& in, const QString& words, const QString& entry) {
    bool isChosen = false;
    QTimer look;  // the menu is waited for within the click that opens it
    QObject::connect(&look, &QTimer::timeout, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      if (menu == nullptr) return;
      look.stop();
      for (QAction* action : menu->actions()) {
        if (action->text().remove('&') != entry) continue;
        click(menu, menu->actionGeometry(action).center());
        isChosen = true;
      }
      menu->close();
    });
    look.start(20);
    press<QPushButton>(in, words);
    EXPECT_TRUE(waitFor([&] { return isChosen; })) << "no entry " << qPrintable(entry);
  }

 private:
  // Tells whether it can be used, and no other window covers it.
  static bool reaches(QWidget* widget, QPoint at) {
    return widget->isEnabled() && widget->rect().contains(at) &&
           waitFor(
               [&] {
                 return widget->isVisible() &&
                        QApplication::topLevelAt(widget->mapToGlobal(at)) == widget->window();
               },
               10000);
  }
  static std::string told(const QWidget* widget, QPoint at) {
    const QWidget* above = QApplication::topLevelAt(widget->mapToGlobal(at));
    return std::string(widget->metaObject()->className()) + " below " +
           (above != nullptr ? above->metaObject()->className() : "nothing");
  }
  int count_ = 0;
};

class WayToAlert : public ::testing::Test {
 protected:
  WayToAlert() {
    writeYard(path("yard.avi").toStdString());
    QFile::remove(backbone());
    EXPECT_TRUE(QFile::copy(QString::fromStdString(test::inProject("tests/models/hf_dinov2.onnx")),
                            backbone()));
    AppOptions options;
    options.source = path("yard.avi");
    options.record = path("record.sqlite");
    options.mostFps = 4;
    window_ = std::make_unique<MainWindow>(withOptions({}, options));
    window_->resize(1280, 850);
    window_->show();
  }
  ~WayToAlert() override { QFile::remove(backbone()); }

  QString path(const QString& name) const { return folder_.filePath(name); }
  static QString backbone() { return QDir::home().filePath("vit.onnx"); }
  TeachWindow& teach() { return *window_->beside().teach(); }

  /// Uses the next dialog.
  template <typename Dialog>
  void answer(const std::function<void(Dialog&)>& how) {
    auto* timer = new QTimer(window_.get());
    QObject::connect(timer, &QTimer::timeout, window_.get(), [timer, how] {
      auto* dialog = qobject_cast<Dialog*>(QApplication::activeModalWidget());
      if (dialog == nullptr) return;
      timer->deleteLater();
      how(*dialog);
      if (HasFatalFailure()) dialog->reject();
    });
    timer->start(20);
  }
  // Maps a position of the frame, (0, 0) to (320, 240), into a view that shows all of it.
  static QPoint seen(const QWidget* view, QPoint place) {
    const double scale = std::min(view->width() / 320.0, view->height() / 240.0);
    return view->rect().center() + ((QPointF(place) - QPointF(160, 120)) * scale).toPoint();
  }
  void paint(const QString& name, QPoint from, QPoint to) {
    mouse_.choose(teach(), "New class", name);
    mouse_.stroke(teach().canvas(), seen(teach().canvas(), from), seen(teach().canvas(), to));
  }
  void pickBackbone() {
    answer<QFileDialog>([this](QFileDialog& dialog) {
      auto* list = dialog.findChild<QTreeView*>("treeView");
      const auto place = [&] {
        const QModelIndex first = list->model()->index(0, 0, list->rootIndex());
        return list->model()->match(first, Qt::DisplayRole, "vit.onnx").value(0);
      };
      ASSERT_TRUE(waitFor([&] { return place().isValid() && list->isVisible(); }));
      list->scrollTo(place());
      mouse_.clickTwice(list->viewport(), list->visualRect(place()).center());
    });
    mouse_.press<QPushButton>(teach(), "Choose its file ...");
  }
  bool happened(const QString& words) {
    return waitFor([&] {
      const EventList& events = window_->events()->list();
      for (int row = 0; row < events.rowCount(); ++row)
        if (events.words(row).contains(words)) return true;
      return false;
    });
  }
  FrameView* view() const {
    for (FrameView* each : window_->deck()->findChildren<FrameView*>())
      if (each->isVisible()) return each;
    return nullptr;
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
  Mouse mouse_;
};

TEST_F(WayToAlert, TakesAMouseAndAtMost25ClicksAndStrokes) {
  ASSERT_TRUE(waitFor([&] { return window_->session().frame() != nullptr; }));
  const QToolBar& bar = *window_->findChild<QToolBar*>("WatchBar");
  mouse_.press<QToolButton>(bar, "Teach");
  ASSERT_TRUE(
      waitFor([&] { return window_->beside().teach() && !teach().frameShown().isEmpty(); }));
  ASSERT_TRUE(waitForActive(&teach()));
  ASSERT_NO_FATAL_FAILURE(pickBackbone());
  EXPECT_EQ(teach().backbone()->backbone().model, backbone());
  mouse_.press<QToolButton>(teach(), "Brush");
  ASSERT_NO_FATAL_FAILURE(paint("lawn", {20, 60}, {300, 60}));
  ASSERT_NO_FATAL_FAILURE(paint("path", {110, 150}, {150, 150}));
  const cv::Mat shown = teach().project()->frame(teach().frameShown());
  cv::Mat1b red;
  cv::inRange(shown, cv::Scalar(0, 0, 150), cv::Scalar(110, 110, 255), red);
  const cv::Rect person = cv::boundingRect(red.colRange(0, 130));
  const QPoint middle(person.x + person.width / 2, person.y + person.height / 2);
  ASSERT_NO_FATAL_FAILURE(paint("person", middle - QPoint(0, 18), middle + QPoint(0, 18)));
  mouse_.press<QPushButton>(teach(), "Teach");
  ASSERT_TRUE(waitFor([&] { return teach().worker().hasTaught(); }))
      << qPrintable(teach().lesson()->told());
  ASSERT_NO_FATAL_FAILURE(mouse_.press<QPushButton>(teach(), "Use it"));
  ASSERT_TRUE(waitFor([&] {
    const auto engine = window_->live().engine();
    return engine && engine->classes().size() == 3 && window_->session().frame();
  }));
  EXPECT_FALSE(teach().isVisible()) << "what it does is seen at once";

  mouse_.press<QToolButton>(bar, "Draw zones");
  mouse_.stroke(view(), seen(view(), {4, 100}), seen(view(), {316, 156}));
  answer<RulesDialog>([this](RulesDialog& dialog) {
    ASSERT_TRUE(waitFor([&] { return dialog.isVisible(); }));
    mouse_.choose(dialog, "Add", "Something appears");
    EXPECT_EQ(dialog.book().rules.back().metric, "zone.Zone_1.area.person");
    mouse_.press<QPushButton>(dialog, "Save");
  });
  ASSERT_TRUE(waitFor([&] { return window_->session().whyRulesStay().isEmpty(); }));
  mouse_.press<QToolButton>(bar, "Alerts");
  EXPECT_TRUE(happened("began")) << "the people on the path";
  EXPECT_LE(mouse_.count(), kMostStrokes);
  RecordProperty("clicks_and_strokes", mouse_.count());
  std::printf("%d clicks and strokes\n", mouse_.count());
}

}  // namespace
}  // namespace mpm::gui
