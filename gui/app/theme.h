// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mpm::gui {

/// Colours of the whole app.
enum class Theme {
  dark,  ///< for a screen that hangs on a wall
  light,
  system  ///< as the desktop has it, also when that changes, as far as its plugin for Qt tells
};
constexpr int kThemes = 3;

/// From now on; needs the QApplication.
void applyTheme(Theme theme);

}  // namespace mpm::gui
