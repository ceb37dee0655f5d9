// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>

#include "gui/app/session.h"
#include "gui/app/settings.h"
#include "gui/teach/teach_window.h"

namespace mpm::gui {

/// The window to teach in, beside the live view: made when it is asked for first.
class Teaching : public QObject {
  Q_OBJECT

 public:
  Teaching(Settings& settings, Session& session, QWidget* parent)
      : QObject(parent), settings_(settings), session_(session), parent_(parent) {}

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
      const auto engine = session_.live().engine();
      return engine ? engine->latest(session_.live().shown()) : nullptr;
    };
    host.engine = [this] { return session_.live().engine(); };
    host.backbone = [this] {
      const Computing& computing = session_.live().computing();
      return Backbone{settings_.live.model, computing.device, computing.precision};
    };
    host.record = [this] { return std::pair(settings_.live.record, session_.recordedAs()); };
    window_ = new TeachWindow(host, parent_);
    connect(window_, &TeachWindow::modelTaught, &session_, &Session::openModel);
    connect(window_, &TeachWindow::folderOpened, this,
            [this](const QString& folder) { settings_.teachFolder = folder; });
    connect(&session_.live(), &Live::opened, window_, &TeachWindow::findGroups);
    connect(&session_, &Session::scheduleSet, window_, &TeachWindow::findGroups);
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
    emit session_.said(window_->said(), true);
    return false;
  }

  Settings& settings_;
  Session& session_;
  QWidget* parent_;
  TeachWindow* window_ = nullptr;
};

}  // namespace mpm::gui
