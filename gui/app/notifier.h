// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <optional>
#include <vector>

#include "gui/app/event_list.h"
#include "monitor/rules/rules.h"

class QSystemTrayIcon;
class QWidget;

namespace mpm::gui {

/// Tells of alerts on the desktop: a message with a sound when a rule begins that wants one, and
/// the window's entry in the task bar calls for attention. Alerts in quick succession are folded:
/// there is one message in so many seconds at most, and the newest alert counts. Without a tray
/// there is no message.
class Notifier : public QObject {
  Q_OBJECT

 public:
  static constexpr int kRestMs = 5000;

  explicit Notifier(QWidget* window, int restMs = kRestMs);

  /// Says whether an event is the beginning of a rule that wants to be told of.
  static bool wants(const EventList::Entry& event, const std::vector<monitor::Rule>& rules);

  /// `camera`: its name; empty where there is only one. `picture`: may be null.
  void notify(const EventList::Entry& event, const QString& camera, const QImage& picture);

  struct Message {
    QString title, text;
    QImage picture;
  };
  /// Instead of a message on the desktop, and its sound.
  void setTelling(std::function<void(const Message&)> tell) { tell_ = std::move(tell); }
  /// As a click on the message does: the window comes to the front, and `clicked` follows.
  void open();

 signals:
  void clicked(const mpm::gui::EventList::Entry& event);  ///< the one that was told last

 private:
  struct Alert {
    EventList::Entry event;
    QString camera;
    QImage picture;
  };
  void tellNewest();
  void tellOnDesktop(const Message& message);

  QWidget* window_;
  QSystemTrayIcon* tray_ = nullptr;
  std::function<void(const Message&)> tell_;
  QTimer rest_;                   // runs since the last message
  std::optional<Alert> waiting_;  // the newest, until the rest is over
  std::optional<EventList::Entry> told_;
};

}  // namespace mpm::gui
