// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenuBar>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolBar>
#include <functional>

#include "gui/app/main_window.h"
#include "gui/app/small_street.h"
#include "gui/hands.h"
#include "gui/wait_for.h"

namespace mpm::gui {

/// A window on a drawn street, and a hand that chooses entries of its menus.
class Actions : public ::testing::Test {
 protected:
  explicit Actions(const QStringList& beside = {}) : window_(settings(beside)) {
    window_.resize(1000, 700);
    window_.show();
  }
  Settings settings(const QStringList& beside) const {
    AppOptions options = smallStreet();
    options.record = folder_.filePath("record.sqlite");
    Settings settings = withOptions({}, options);
    settings.live.beside = beside;
    return settings;
  }
  bool isLive() {
    return waitFor([&] {
      const auto engine = window_.live().engine();
      return engine && engine->latest(0) && !window_.deck()->exported().isNull();
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
  // Of the schedule.
  QLineEdit* line() const {
    return window_.findChild<QToolBar*>("MergingBar")->findChild<QLineEdit*>();
  }
  QString said() const { return window_.statusBar()->currentMessage(); }

  // Whatever dialog opens next is answered; `answered_` counts those of the kind.
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

}  // namespace mpm::gui
