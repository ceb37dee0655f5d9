// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>

#include "gui/app/session.h"
#include "gui/app/settings.h"
#include "gui/days/days_window.h"

namespace mpm::gui {

/// The window of the record's days, beside the live view: made when it is asked for first.
class Days : public QObject {
  Q_OBJECT

 public:
  Days(Settings& settings, Session& session, QWidget* parent)
      : QObject(parent), settings_(settings), session_(session), parent_(parent) {
    connect(&session_.live(), &Live::opened, this, &Days::bring);
    connect(&session_, &Session::shownChanged, this, &Days::bring);
  }

  DaysWindow* window() const { return window_; }  ///< null: none yet

  void open() {
    if (window_ == nullptr) {
      window_ = new DaysWindow(parent_);
      connect(window_, &DaysWindow::picturesWanted, &session_, &Session::setPicturesPerHour);
      window_->choose(settings_.daysMetric, settings_.daysSpan);
      connect(window_, &DaysWindow::chose, this, [this](const QString& metric, int span) {
        settings_.daysMetric = metric;
        settings_.daysSpan = span;
      });
      bring();
      QRect place({}, window_->size());
      place.moveCenter(parent_->geometry().center());
      // A frame belongs above it, which no window manager keeps on the screen for a high window.
      window_->move(place.left(),
                    std::max(place.top(), window_->screen()->availableGeometry().top()));
    }
    window_->show();
    window_->raise();
    window_->activateWindow();
  }

 private:
  void bring() {
    const LiveOptions& live = session_.settings().live;
    if (window_ != nullptr)
      window_->setRecord(live.record, session_.recordedAs(), live.picturesPerHour);
  }

  Settings& settings_;
  Session& session_;
  QWidget* parent_;
  DaysWindow* window_ = nullptr;
};

}  // namespace mpm::gui
