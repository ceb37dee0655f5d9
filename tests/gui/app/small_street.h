// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/app/options.h"

namespace mpm::gui {

constexpr const char* kSmallStreet = "scene:?clock=600x&hour=12&size=160x120";

/// What a test's window watches, in Study: the app's own street in small pictures, without a
/// record. A few frames a second do: the street's net would take most of a core, from all that is
/// tested beside.
inline AppOptions smallStreet() {
  AppOptions options;
  options.record = "none";
  options.source = kSmallStreet;
  options.face = Face::study;
  options.mostFps = 3;
  return options;
}

}  // namespace mpm::gui
