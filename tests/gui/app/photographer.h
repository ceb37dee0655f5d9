// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QTimer>
#include <cstdio>
#include <functional>

#include "gui/app/window_parts.h"

namespace mpm::gui {

constexpr int kQuality = 85;         // of JPEG
constexpr int kPatienceMs = 120000;  // on a machine that does other work

// Sleeps until something happens. A loop around processEvents(flags, ms) never waits for events,
// and would take a core from the net, whose times the pictures show.
inline void wait(int ms) {
  QEventLoop loop;
  QTimer::singleShot(ms, &loop, &QEventLoop::quit);
  loop.exec();
}

inline bool waitUntil(const std::function<bool()>& condition, int ms) {
  QElapsedTimer timer;
  timer.start();
  while (!condition() && timer.elapsed() < ms) wait(20);
  return condition();
}

/// Photographs the requested windows.
class Photographer {
 public:
  Photographer(MainWindow& window, const QString& folder, const QString& ending,
               const QStringList& only)
      : window_(window), folder_(folder), ending_(ending), only_(only) {}

  bool wants(const QString& name) const { return only_.isEmpty() || only_.contains(name); }

  // Tells whether a requested name begins like this.
  bool wantsSome(const QString& beginning) const {
    return only_.isEmpty() || !only_.filter(QRegularExpression('^' + beginning)).isEmpty();
  }

  void take(const QString& name, QWidget* of = nullptr) {
    if (!wants(name)) return;
    wait(600);
    QWidget* widget = of != nullptr ? of : &window_;
    const QString path = folder_.filePath(name + ending_);
    if (!widget->grab().save(path, nullptr, kQuality)) std::fprintf(stderr, "not written: ");
    std::printf("%s\n", qPrintable(path));
    std::fflush(stdout);
  }
  void takeDialog(const QString& name, QDialog& dialog) {
    if (!wants(name)) return;
    dialog.show();
    take(name, &dialog);
    dialog.hide();  // closed, it may ask
  }
  // Photographs all menus, with their submenus.
  void takeMenus(const QString& name) {
    if (!wantsSome(name)) return;
    const QList<QMenu*> menus = window_.findChildren<QMenu*>();
    for (qsizetype i = 0; i < menus.size(); ++i) {
      menus[i]->popup(window_.pos());
      take(name + QString::number(i), menus[i]);
      menus[i]->close();
    }
  }
  // Photographs what an action opens and waits for.
  void takeModal(const QString& name, const QKeySequence& key) {
    if (!wants(name)) return;
    QTimer look;
    QObject::connect(&look, &QTimer::timeout, &window_, [this, name, &look] {
      QWidget* box = QApplication::activeModalWidget();
      if (box == nullptr) return;  // not yet, on a machine that does other work
      look.stop();
      take(name, box);
      box->close();
    });
    look.start(500);
    act(key);
  }
  void raise(const QString& name) {
    auto* dock = window_.findChild<QDockWidget*>(name);
    dock->show();
    dock->raise();
  }
  void act(const QKeySequence& key) {
    for (const QAction* menu : window_.menuBar()->actions()) {
      for (QAction* action : menu->menu()->actions()) {
        if (action->shortcut() == key) action->trigger();
      }
    }
  }
  bool live() {
    return waitUntil(
        [this] {
          const auto engine = window_.live().engine();
          return engine && !window_.live().isOpening() && engine->latest();
        },
        kPatienceMs);
  }
  // Waits until the light meter reports this state.
  bool inLight(monitor::LightState state) {
    return waitUntil([&] { return isIn(state); }, kPatienceMs);
  }
  bool isIn(monitor::LightState state) const {
    const auto engine = window_.live().engine();
    const auto newest = engine ? engine->latest() : nullptr;
    return newest && newest->light.state == state;
  }

 private:
  MainWindow& window_;
  QDir folder_;
  QString ending_;
  QStringList only_;
};

}  // namespace mpm::gui
