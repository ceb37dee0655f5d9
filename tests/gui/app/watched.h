// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/app/options.h"
#include "gui/app/session.h"
#include "gui/app/small_street.h"
#include "gui/wait_for.h"

namespace mpm::gui {

/// A session without a window, to which a test passes what its panels hear.
struct Watched {
  explicit Watched(const AppOptions& options = smallStreet(),
                   monitor::Clock& clock = monitor::systemClock())
      : settings(withOptions({}, options)), session(settings, clock) {}

  /// Opens it; returns whether a frame came.
  bool shows() {
    session.open();
    return waitFor([&] { return session.frame() != nullptr; });
  }
  monitor::Engine& engine() const { return *session.live().engine(); }
  Liveness stands() const { return Liveness::of(engine(), session.live().sources(), false); }

  Settings settings;
  Session session;
};

}  // namespace mpm::gui
