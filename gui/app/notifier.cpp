// SPDX-License-Identifier: Apache-2.0
#include "gui/app/notifier.h"

#include <QApplication>
#include <QIcon>
#include <QPixmap>
#include <QSystemTrayIcon>
#include <QWidget>
#include <algorithm>
#include <utility>

#include "gui/app/wording.h"

namespace mpm::gui {

Notifier::Notifier(QWidget* window, int restMs)
    : QObject(window),
      window_(window),
      tell_([this](const Message& message) { tellOnDesktop(message); }) {
  rest_.setSingleShot(true);
  rest_.setInterval(restMs);
  connect(&rest_, &QTimer::timeout, this, &Notifier::tellNewest);
}

bool Notifier::wants(const EventList::Entry& event, const std::vector<monitor::Rule>& rules) {
  return event.isAlert() && std::any_of(rules.begin(), rules.end(), [&](const monitor::Rule& rule) {
           return rule.notify && rule.name == event.name.toStdString();
         });
}

void Notifier::notify(const EventList::Entry& event, const QString& camera, const QImage& picture) {
  waiting_ = Alert{event, camera, picture};
  if (!rest_.isActive()) tellNewest();
}

void Notifier::tellNewest() {
  if (!waiting_) return;
  const Alert alert = *std::exchange(waiting_, std::nullopt);
  const QString sentence = eventSentence(alert.event.reason());
  told_ = alert.event;
  rest_.start();
  tell_({alert.event.name,
         alert.camera.isEmpty() ? sentence : tr("%1: %2").arg(alert.camera, sentence),
         alert.picture});
}

void Notifier::tellOnDesktop(const Message& message) {
  QApplication::beep();
  QApplication::alert(window_);
  if (!QSystemTrayIcon::isSystemTrayAvailable() || !QSystemTrayIcon::supportsMessages()) return;
  if (tray_ == nullptr) {
    tray_ = new QSystemTrayIcon(QApplication::windowIcon(), this);
    tray_->setToolTip(QApplication::applicationDisplayName());
    connect(tray_, &QSystemTrayIcon::messageClicked, this, &Notifier::open);
    connect(tray_, &QSystemTrayIcon::activated, this, &Notifier::open);
    tray_->show();
  }
  const QIcon icon = message.picture.isNull() ? QApplication::windowIcon()
                                              : QIcon(QPixmap::fromImage(message.picture));
  tray_->showMessage(message.title, message.text, icon);
}

void Notifier::open() {
  window_->setWindowState(window_->windowState() & ~Qt::WindowMinimized);
  window_->show();
  window_->raise();
  window_->activateWindow();
  if (told_) emit clicked(*told_);
}

}  // namespace mpm::gui
