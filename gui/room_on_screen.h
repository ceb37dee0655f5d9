// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QScreen>
#include <QWidget>

namespace mpm::gui {

/// Returns the room that a window may use on its screen, without its frame.
inline QSize roomOnScreen(const QWidget& window) {
  return window.screen()->availableSize() - QSize(20, 50);
}

/// Resizes the window as wanted, limited by the screen.
inline void resizeOnScreen(QWidget* window, const QSize& wanted) {
  window->resize(wanted.boundedTo(roomOnScreen(*window)));
}

}  // namespace mpm::gui
