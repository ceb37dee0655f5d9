// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <exception>
#include <optional>

#include "gui/app/session.h"
#include "gui/app/settings.h"
#include "gui/app/source_name.h"
#include "gui/teach/teach_window.h"

namespace mpm::gui {

/// The window to teach in, beside the live view: made when it is asked for first. Each camera has
/// a folder of its own for it among the app's data; one that somebody chose instead counts until
/// another camera is shown.
class Teaching : public QObject {
  Q_OBJECT

 public:
  Teaching(Settings& settings, Session& session, QWidget* parent)
      : QObject(parent), settings_(settings), session_(session), parent_(parent) {
    connect(&session_.live(), &Live::opened, this, &Teaching::follow);
    connect(&session_, &Session::shownChanged, this, &Teaching::follow);
  }

  TeachWindow* window() const { return window_; }  ///< null: none yet

  /// Of the camera that is shown, with one more frame, the newest; one that is open on it comes to
  /// the front.
  void open() {
    if (window_ == nullptr) make();
    const bool isOther = !window_->project() || camera_ != session_.shownSource();
    if (isOther && !openFolder()) return;
    if (isOther || !window_->isVisible()) {
      window_->show();
      window_->takeFrame();
    }
    window_->raise();
    window_->activateWindow();
  }

 private:
  void make() {
    TeachHost host;
    host.newest = [this]() -> monitor::FrameResultPtr {
      const std::optional<std::size_t> place = this->place();
      return place ? session_.live().engine()->latest(*place) : nullptr;
    };
    host.engine = [this] { return session_.live().engine(); };
    host.backbone = [this] {
      const Computing& computing = session_.live().computing();
      return Backbone{settings_.live.model, computing.device, computing.precision};
    };
    host.record = [this] {
      const QString& record = settings_.live.record;
      const std::optional<std::size_t> place = this->place();
      return std::pair(record,
                       place ? QString::fromStdString(session_.live().engine()->source(*place).name)
                             : nameInRecord(camera_, record));
    };
    window_ = new TeachWindow(host, parent_);
    connect(window_, &TeachWindow::modelTaught, &session_, &Session::openModel);
    connect(window_, &TeachWindow::folderChosen, this,
            [this](const QString& folder) { settings_.teachFolder = folder; });
  }

  // Where the engine has the camera whose frames are painted; nothing: it is not watched now.
  std::optional<std::size_t> place() const {
    if (!session_.live().engine()) return std::nullopt;
    const LiveOptions& running = session_.live().options();
    const qsizetype place = (QStringList{running.source} + running.beside).indexOf(camera_);
    return place < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(place));
  }

  void follow() {
    const QString shown = session_.shownSource();
    if (!shownBefore_.isEmpty() && shownBefore_ != shown) settings_.teachFolder.clear();
    shownBefore_ = shown;
  }

  // Where the chosen folder cannot be opened, the camera's own one, and the main window says why.
  bool openFolder() {
    const QString camera = session_.shownSource(), chosen = settings_.teachFolder;
    bool isOpen = !chosen.isEmpty() && window_->openProject(chosen);
    if (!isOpen) {
      if (!chosen.isEmpty()) emit session_.said(window_->said(), true);
      try {
        isOpen =
            window_->openProject(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
                                 QStringLiteral("/teach/") + fileNameOf(sourceName(camera)));
        if (!isOpen) emit session_.said(window_->said(), true);
      } catch (const std::exception& fault) {  // it is no address
        emit session_.said(QString::fromUtf8(fault.what()), true);
      }
    }
    if (isOpen) camera_ = camera;
    return isOpen;
  }

  Settings& settings_;
  Session& session_;
  QWidget* parent_;
  TeachWindow* window_ = nullptr;
  QString camera_, shownBefore_;  // addresses: that of the window's frames, and that of the view
};

}  // namespace mpm::gui
