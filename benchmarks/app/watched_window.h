// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTemporaryDir>
#include <QTimer>
#include <cstdint>
#include <functional>
#include <memory>

#include "gui/app/main_window.h"

namespace mpm::bench {

/// Lets the event loop run.
void runFor(int ms);
bool runUntil(const std::function<bool()>& condition, int mostMs);

/// The app's window on a source, every dock open beside the others, with a record of its own.
class WatchedWindow : public QObject {
 public:
  /// Waits for the first frame; std::runtime_error where none comes.
  WatchedWindow(const QString& source, bool everyFrame, const QString& model = {});

  gui::MainWindow& window() { return *window_; }
  std::shared_ptr<monitor::Engine> engine() { return window_->live().engine(); }
  int framesShown() const { return shown_; }  ///< painted, each once
  /// Goes through all layouts and views, one after the other, every so often; 0: stays.
  void changeViewsEvery(int ms);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QTemporaryDir folder_;
  std::unique_ptr<gui::MainWindow> window_;
  QTimer changing_;
  int change_ = 0, shown_ = 0;
  std::uint64_t last_ = 0;  // number of the frame that was painted last
};

}  // namespace mpm::bench
