// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDockWidget>
#include <QElapsedTimer>
#include <QEvent>
#include <QEventLoop>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTimer>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>

#include "gui/app/main_window.h"
#include "gui/app/options.h"
#include "gui/app/view_deck.h"
#include "gui/canvas/frame_view.h"

namespace mpm::bench {

/// Lets the event loop run.
inline void runFor(int ms) {
  QEventLoop loop;
  QTimer::singleShot(ms, Qt::PreciseTimer, &loop, &QEventLoop::quit);
  loop.exec();
}

inline bool runUntil(const std::function<bool()>& condition, int mostMs) {
  QElapsedTimer timer;
  timer.start();
  while (!condition()) {
    if (timer.elapsed() > mostMs) return false;
    runFor(20);
  }

  return true;
}

/// The app's window on a source, every dock open beside the others, with a record of its own.
class WatchedWindow : public QObject {
 public:
  /// Waits for the first frame; std::runtime_error where none comes.
  WatchedWindow(const QString& source, bool everyFrame, const QString& model = {}) {
    gui::AppOptions options;
    options.source = source;
    options.record = folder_.filePath("record.sqlite");
    if (!model.isEmpty()) options.model = model;
    gui::Settings settings = gui::withOptions({}, options);
    settings.live.everyFrame = everyFrame;
    settings.live.loop = !everyFrame;
    window_ = std::make_unique<gui::MainWindow>(settings);
    window_->resize(1280, 800);
    // Tabs would hide all but one.
    Qt::DockWidgetArea areas[] = {Qt::LeftDockWidgetArea, Qt::BottomDockWidgetArea};
    int place = 0;
    for (QDockWidget* dock : window_->findChildren<QDockWidget*>()) {
      if (dock->objectName() == "Classes") continue;
      window_->removeDockWidget(dock);
      window_->addDockWidget(areas[place++ % 2], dock);
      dock->show();
    }
    for (gui::FrameView* view : window_->findChildren<gui::FrameView*>()) {
      view->installEventFilter(this);
    }
    connect(&changing_, &QTimer::timeout, this, [this] {
      ++change_;
      window_->deck()->showKind(static_cast<gui::ViewKind>(change_ % gui::kViewKinds));
      if (change_ % gui::kViewKinds != 0) return;
      window_->deck()->setLayoutKind(
          static_cast<gui::DeckLayout>(change_ / gui::kViewKinds % gui::kDeckLayouts));
    });
    window_->show();
    if (!runUntil([this] { return shown_ > 0; }, kPatienceMs))
      throw std::runtime_error("the window has shown no frame in a minute: " +
                               window_->statusBar()->currentMessage().toStdString() +
                               (engine() ? engine()->fault() : ""));
  }

  gui::MainWindow& window() { return *window_; }
  std::shared_ptr<monitor::Engine> engine() { return window_->live().engine(); }
  int framesShown() const { return shown_; }  ///< painted, each once
  /// Goes through all layouts and views, one after the other, every so often; 0: stays.
  void changeViewsEvery(int ms) {
    change_ = 0;
    window_->deck()->setLayoutKind(gui::DeckLayout::grid);
    ms > 0 ? changing_.start(ms) : changing_.stop();
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Paint) {
      const auto& result = static_cast<gui::FrameView*>(watched)->result();
      if (result && result->frame.number != last_) {
        last_ = result->frame.number;
        ++shown_;
      }
    }
    return QObject::eventFilter(watched, event);
  }

 private:
  static constexpr int kPatienceMs = 60000;

  QTemporaryDir folder_;
  std::unique_ptr<gui::MainWindow> window_;
  QTimer changing_;
  int change_ = 0, shown_ = 0;
  std::uint64_t last_ = 0;  // number of the frame that was painted last
};

}  // namespace mpm::bench
