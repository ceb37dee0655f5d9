// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

namespace mpm::gui {

constexpr int kDescriptionPauseMs = 4000;

/// A widget's accessible description that follows its data, without talking all the time: at most
/// once in kDescriptionPauseMs, then what was told last.
class Description : public QObject {
 public:
  explicit Description(QWidget* widget) : QObject(widget), widget_(widget) {
    later_.setSingleShot(true);
    connect(&later_, &QTimer::timeout, this, &Description::speak);
  }

  void tell(const QString& sentence) {
    waiting_ = sentence;
    if (later_.isActive()) return;
    if (!since_.isValid() || since_.elapsed() >= kDescriptionPauseMs) return speak();
    later_.start(static_cast<int>(kDescriptionPauseMs - since_.elapsed()));
  }

 private:
  void speak() {
    if (widget_->accessibleDescription() == waiting_) return;
    since_.start();
    widget_->setAccessibleDescription(waiting_);
  }

  QWidget* widget_;
  QString waiting_;
  QElapsedTimer since_;
  QTimer later_;
};

}  // namespace mpm::gui
