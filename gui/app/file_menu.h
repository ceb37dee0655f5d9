// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMenu>
#include <functional>
#include <memory>

#include "gui/app/watch.h"
#include "gui/plot/time_plot.h"

namespace mpm::monitor {
class ClipWriter;
}

namespace mpm::gui {

/// Opens sources and models, holds them still, and keeps what is seen: snapshots, clips, exports.
class FileMenu : public QMenu {
  Q_OBJECT

 public:
  FileMenu(Watch& watch, ViewDeck* deck, TimePlot* tokens, QWidget* parent);
  ~FileMenu() override;

  QAction* pause() const { return pause_; }
  void chooseSource();
  void chooseModel();
  void addToClip(const monitor::FrameResult& result);  ///< nothing while none is recorded

 signals:
  void said(const QString& sentence, bool bad);

 private:
  void addRecent(const QString& title, const QStringList& entries,
                 const std::function<void(const QString&)>& open);
  void addOpening();
  void addKeeping();
  void takeSnapshot();
  void recordClip(bool on);
  void exportView();
  void exportSeries();
  void written(bool good, const QString& path, const QString& why);

  Watch& watch_;
  ViewDeck* deck_;
  TimePlot* tokens_;
  QAction *pause_ = nullptr, *clip_ = nullptr;
  std::unique_ptr<monitor::ClipWriter> clipWriter_;
};

}  // namespace mpm::gui
