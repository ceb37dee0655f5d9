// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <QApplication>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <functional>

#include "gui/app/small_street.h"
#include "gui/app/window_parts.h"
#include "gui/hands.h"
#include "gui/wait_for.h"

namespace mpm::gui {

/// A window that watches, and a hand that uses it.
class LivingWindow : public ::testing::Test {
 protected:
  using MakeSettings = std::function<Settings(const QTemporaryDir& folder)>;

  explicit LivingWindow(const MakeSettings& make) : window_(make(folder_)) {
    window_.resize(1000, 700);
    window_.show();
  }
  /// Whether so many cameras are watched, and shown.
  bool isLive(std::size_t sources = 1) {
    return waitFor([&] {
      const auto engine = window_.live().engine();
      if (!engine || window_.live().isOpening() || engine->sources() != sources) return false;
      for (std::size_t i = 0; sources > 1 && i < sources; ++i)
        if (!window_.wall()->view(static_cast<int>(i))->result()) return false;
      return sources > 1 || (engine->latest(0) && !window_.deck()->exported().isNull());
    });
  }
  /// Of the first one.
  bool shows(const QString& address) {
    return waitFor([&] {
      const auto engine = window_.live().engine();
      return engine && QString::fromStdString(engine->source(0).address.text) == address &&
             window_.live().newest() && !window_.deck()->exported().isNull();
    });
  }
  QAction* action(const QString& text) {
    for (QAction* menu : window_.menuBar()->actions()) {
      for (QAction* one : menu->menu()->actions()) {
        if (QString(one->text()).remove('&') == text) return one;
      }
    }
    ADD_FAILURE() << "no action " << qPrintable(text);
    return nullptr;
  }
  void choose(const QString& text) {
    EXPECT_TRUE(hands::choose(window_, text)) << qPrintable(text);
  }
  void press(const char* key) { ASSERT_TRUE(hands::press(window_, QKeySequence(key))); }
  QString said() const { return window_.statusBar()->currentMessage(); }
  bool says(const QString& words) {
    return waitFor([&] { return said().contains(words); });
  }
  /// What stands beside it for good.
  QString state() const {
    QStringList words;
    for (const QLabel* label : window_.statusBar()->findChildren<QLabel*>())
      if (!label->isHidden()) words << label->text();
    return words.join('|');
  }
  bool becomes(const QString& words) {
    return waitFor([&] { return state().contains(words); });
  }
  /// In the bar of Study: of a schedule, of a stage, of the opacity.
  template <typename Widget = QLineEdit>
  Widget* inBar() const {
    return window_.findChild<QToolBar*>("MergingBar")->findChild<Widget*>();
  }
  void mergeBefore(const QString& blocks) { ASSERT_TRUE(hands::type(inBar(), blocks)); }
  /// Presses the button of Tune, once there is a frame to measure with.
  bool tune() {
    if (!panel(window_, "Tune")->isVisible()) choose("Tune");
    return waitFor([&] {
      return hands::click(panel(window_, "Tune")->findChild<QPushButton*>()) &&
             window_.session().isMeasuring();
    });
  }

  /// One that is seen.
  FrameView* view() const {
    for (FrameView* each : window_.deck()->findChildren<FrameView*>())
      if (each->isVisible()) return each;
    ADD_FAILURE() << "no view is seen";
    return nullptr;
  }
  /// Three corners, of which Enter makes a zone.
  void drawCorners() {
    for (const QPoint& away : {QPoint(-60, -60), QPoint(60, -60), QPoint(0, 60)})
      QTest::mouseClick(view(), Qt::LeftButton, {}, view()->rect().center() + away);
  }
  bool drawsZones() const {
    for (const FrameView* each : window_.deck()->findChildren<FrameView*>())
      if (each->isZoneEditing()) return true;
    return false;
  }

  /// Whatever dialog opens next is answered; `answered_` counts those of the kind.
  template <typename Dialog>
  void answer(const std::function<void(Dialog&)>& how) {
    auto* timer = new QTimer(&window_);
    QObject::connect(timer, &QTimer::timeout, &window_, [this, timer, how] {
      auto* dialog = qobject_cast<Dialog*>(QApplication::activeModalWidget());
      if (dialog == nullptr) return;
      timer->deleteLater();
      ++answered_;
      how(*dialog);
    });
    timer->start(20);
  }
  void answerFile(const QString& path) {
    answer<QFileDialog>([path](QFileDialog& dialog) {
      dialog.findChild<QLineEdit*>("fileNameEdit")->setText(path);
      QMetaObject::invokeMethod(&dialog, "accept");
    });
  }

  QTemporaryDir folder_;
  MainWindow window_;
  int answered_ = 0;
};

/// On the drawn street, with a record.
class Window : public LivingWindow {
 protected:
  explicit Window(const QStringList& beside = {})
      : LivingWindow([beside](const QTemporaryDir& folder) {
          QFile::remove(rulesFileOf(kSmallStreet));
          AppOptions options = smallStreet();
          options.record = folder.filePath("record.sqlite");
          Settings settings = withOptions({}, options);
          settings.live.beside = beside;
          return settings;
        }) {}
};

/// Two cameras over one net; the second has a zone and a rule.
class WallOfCameras : public LivingWindow {
 protected:
  static constexpr const char* kFirst = "scene:?clock=600x&hour=12&size=160x120&seed=21";
  static constexpr const char* kSecond = "scene:?clock=600x&hour=12&size=120x160&seed=22";

  WallOfCameras() : LivingWindow(settings) {}
  ~WallOfCameras() override { QFile::remove(rulesFileOf(kSecond)); }
  static Settings settings(const QTemporaryDir& folder) {
    monitor::RuleBook book;
    book.zones.push_back({"all", {{0, 0}, {1, 0}, {1, 1}, {0, 1}}});
    monitor::Rule rule;
    rule.name = "road";
    rule.metric = "zone.all.area.road";
    rule.above = 0.0001;
    book.rules.push_back(rule);
    writeBook(rulesFileOf(kSecond), book);
    AppOptions options = smallStreet();
    options.record = folder.filePath("wall.db");
    options.source = kFirst;
    Settings settings = withOptions({}, options);
    settings.teachFolder = folder.filePath("taught");
    settings.live.beside = QStringList{kSecond};
    return settings;
  }
  bool bothShow() {
    return waitFor([&] {
      return window_.wall()->isVisible() && window_.live().engine() &&
             window_.live().engine()->sources() == 2 && window_.wall()->view(0)->result() &&
             window_.wall()->view(1)->result();
    });
  }
  /// Whether nothing is opened any more, and these are watched beside the first.
  bool watchesBeside(const QStringList& beside) {
    return waitFor([&] {
      return !window_.live().isOpening() && window_.live().engine() &&
             window_.live().options().beside == beside;
    });
  }
  void bringLarge(int source) { QTest::keyClick(window_.wall()->view(source), Qt::Key_Return); }
  /// The button that ends the camera whose name ends so.
  QToolButton* remove(const QString& words) {
    for (QToolButton* button : window_.wall()->findChildren<QToolButton*>())
      if (button->accessibleName().startsWith("No longer watch") &&
          button->accessibleName().endsWith(words))
        return button;
    return nullptr;
  }
};

}  // namespace mpm::gui
