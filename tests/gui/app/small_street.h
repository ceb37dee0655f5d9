// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/app/options.h"

namespace mpm::gui {

constexpr const char* kSmallStreet = "scene:?clock=600x&hour=12&size=160x120";

/// Options of a test's window, in Study: the app's own street in small frames, without a record. A
/// few frames a second are enough: more would take a core from all other tests.
inline AppOptions smallStreet() {
  AppOptions options;
  options.record = "none";
  options.source = kSmallStreet;
  options.face = Face::study;
  options.mostFps = 3;
  return options;
}

}  // namespace mpm::gui
