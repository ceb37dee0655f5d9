// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "monitor/light/light_state.h"

namespace mpm::monitor {

/// From what each frame looks like to the state: nothing that is over before its dwell shows.
class Settling {
 public:
  explicit Settling(double dwellMs) : dwellMs_(dwellMs) {}

  /// `seen`: what the light looks like, `moving`: whether it is still on its way. `elapsedMs`:
  /// since the frame before.
  LightState update(LightState seen, bool moving, double elapsedMs);

  /// What the hysteresis of the next frame's look goes by; nothing: the first frame comes.
  std::optional<LightState> reference() const { return settled_ ? settled_ : candidate_; }

 private:
  void decide(LightState seen, bool moving, double elapsedMs);
  double neededMs(LightState candidate) const;
  bool unsettles(LightState seen, bool moving, double elapsedMs) const;

  double dwellMs_;
  std::optional<LightState> settled_;    // none: in transition
  std::optional<LightState> candidate_;  // what was seen last
  double candidateMs_ = 0;               // for how long
  double awayMs_ = 0;                    // for how long it was not the settled state
  double elapsedBeforeMs_ = 0;
};

}  // namespace mpm::monitor
