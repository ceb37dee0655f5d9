// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <utility>

namespace mpm::gui {

/// A camera's name, which does what `hint` says when it is clicked. One that has no room is cut in
/// its middle, since addresses begin alike, and stands above the hint.
class CameraName : public QToolButton {
 public:
  explicit CameraName(QString hint) : hint_(std::move(hint)) {
    setAutoRaise(true);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  }

  void setName(const QString& name) {
    name_ = name;
    setAccessibleName(name);
    cut();
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QToolButton::resizeEvent(event);
    cut();
  }
  void changeEvent(QEvent* event) override {
    QToolButton::changeEvent(event);
    if (event->type() == QEvent::FontChange) cut();
  }

 private:
  void cut() {
    constexpr int kRim = 10;
    const QString shown =
        fontMetrics().elidedText(name_, Qt::ElideMiddle, std::max(0, width() - kRim));
    setText(QString(shown).replace('&', QLatin1String("&&")));
    setToolTip(shown == name_ ? hint_ : name_ + QLatin1Char('\n') + hint_);
  }

  QString name_;
  const QString hint_;
};

}  // namespace mpm::gui
