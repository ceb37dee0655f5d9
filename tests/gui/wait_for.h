// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>
#include <functional>

namespace mpm::gui {

/// Goes on with what happens by itself until this holds. The patience is only there to end a test
/// that fails.
inline bool waitFor(const std::function<bool()>& condition, int patienceMs = 120000) {
  return QTest::qWaitFor(condition, patienceMs);
}

}  // namespace mpm::gui
