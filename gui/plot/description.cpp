// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/description.h"

namespace mpm::gui {

Description::Description(QWidget* widget) : QObject(widget), widget_(widget) {
  later_.setSingleShot(true);
  connect(&later_, &QTimer::timeout, this, &Description::speak);
}

void Description::tell(const QString& sentence) {
  waiting_ = sentence;
  if (later_.isActive()) return;
  if (!since_.isValid() || since_.elapsed() >= kDescriptionPauseMs)
    speak();
  else
    later_.start(static_cast<int>(kDescriptionPauseMs - since_.elapsed()));
}

void Description::speak() {
  if (widget_->accessibleDescription() == waiting_) return;
  since_.start();
  widget_->setAccessibleDescription(waiting_);
}

}  // namespace mpm::gui
