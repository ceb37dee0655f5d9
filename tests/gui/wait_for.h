// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>
#include <QWidget>
#include <functional>

namespace mpm::gui {

constexpr int kWaitMs = 120000;  ///< a patience that is only there to end a test that fails

/// Processes events until the condition holds.
inline bool waitFor(const std::function<bool()>& condition, int patienceMs = kWaitMs) {
  return QTest::qWaitFor(condition, patienceMs);
}

/// Waits until a window is exposed or active. QTest's own patience for these is 5 s.
inline bool waitForExposed(QWidget* window) {
  return QTest::qWaitForWindowExposed(window, kWaitMs);
}
inline bool waitForActive(QWidget* window) { return QTest::qWaitForWindowActive(window, kWaitMs); }

}  // namespace mpm::gui
