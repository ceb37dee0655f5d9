// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QScreen>
#include <QWidget>

namespace mpm::gui {

/// What a window may have of its screen, but for its frame.
inline QSize roomOnScreen(const QWidget& window) {
  return window.screen()->availableSize() - QSize(20, 50);
}

/// As large as wanted, where there is room for it.
inline void resizeOnScreen(QWidget* window, const QSize& wanted) {
  window->resize(wanted.boundedTo(roomOnScreen(*window)));
}

}  // namespace mpm::gui
