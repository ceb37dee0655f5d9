// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPalette>
#include <vector>

namespace mpm::gui::testing {

inline QPalette paletteOf(const QColor& base, const QColor& text) {
  QPalette palette;
  palette.setColor(QPalette::Base, base);
  palette.setColor(QPalette::Window, base);
  palette.setColor(QPalette::Text, text);
  palette.setColor(QPalette::WindowText, text);
  return palette;
}
inline QPalette lightPalette() { return paletteOf(Qt::white, QColor(20, 20, 20)); }
inline QPalette darkPalette() { return paletteOf(QColor(30, 30, 32), QColor(230, 230, 230)); }

}  // namespace mpm::gui::testing
