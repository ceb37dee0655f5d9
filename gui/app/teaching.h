// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>

#include "gui/app/settings.h"
#include "gui/app/watch.h"
#include "gui/teach/teach_window.h"

namespace mpm::gui {

/// The window to teach in, beside the live view: made when it is asked for first.
class Teaching : public QObject {
  Q_OBJECT

 public:
  Teaching(Settings& settings, Watch& watch, QWidget* parent)
      : QObject(parent), settings_(settings), watch_(watch), parent_(parent) {}

  TeachWindow* window() const { return window_; }  ///< null: none yet

  /// With one more frame, the newest; one that is open comes to the front. In the folder that is
  /// remembered; asks for one where there is none, or where it cannot be opened.
  void open() {
    if (window_ == nullptr) make();
    if (!window_->isVisible()) {
      if (!window_->project() && !openFolder()) return;
      window_->show();
      window_->takeFrame();
    }
    window_->raise();
    window_->activateWindow();
  }

 private:
  void make() {
    TeachHost host;
    host.newest = [this] {
      const auto engine = watch_.live().engine();
      return engine ? engine->latest(watch_.live().shown()) : nullptr;
    };
    host.engine = [this] { return watch_.live().engine(); };
    host.backbone = [this] {
      const Computing& computing = watch_.live().computing();
      return Backbone{settings_.live.model, computing.device, computing.precision};
    };
    host.record = [this] { return std::pair(settings_.live.record, watch_.recordedAs()); };
    window_ = new TeachWindow(host, parent_);
    connect(window_, &TeachWindow::modelTaught, &watch_, &Watch::openModel);
    connect(window_, &TeachWindow::folderOpened, this,
            [this](const QString& folder) { settings_.teachFolder = folder; });
    connect(&watch_.live(), &Live::opened, window_, &TeachWindow::findGroups);
    connect(&watch_, &Watch::scheduleSet, window_, &TeachWindow::findGroups);
  }

  bool openFolder() {
    const QString kept = settings_.teachFolder;
    if (!kept.isEmpty() && window_->openProject(kept)) return true;
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const QString folder =
        QFileDialog::getExistingDirectory(parent_, tr("A folder for frames and paintings"),
                                          QDir(documents).exists() ? documents : QDir::homePath());
    if (folder.isEmpty()) return false;
    if (window_->openProject(folder)) return true;
    emit watch_.said(window_->said(), true);
    return false;
  }

  Settings& settings_;
  Watch& watch_;
  QWidget* parent_;
  TeachWindow* window_ = nullptr;
};

}  // namespace mpm::gui
