// SPDX-License-Identifier: Apache-2.0
#include "monitor/light/light_steps.h"

#include <algorithm>

namespace mpm::monitor {
namespace {

constexpr double kShort = 0.2;         // of a dwell: what no lightning or lost picture lasts
constexpr double kMostPatience = 4;    // dwells: a light that never stands still is taken as it is
constexpr double kMostOfAFrame = 0.5;  // of a dwell: one frame says no more about the time before
constexpr double kLongGap = 10;        // dwells, or usual gaps: then it is another light

}  // namespace

double Settling::neededMs(LightState candidate) const {
  return candidate == LightState::noSignal ? kShort * dwellMs_ : dwellMs_;
}

bool Settling::unsettles(LightState seen, bool moving, double elapsedMs) const {
  if (awayMs_ >= dwellMs_) return true;
  if (elapsedMs > kLongGap * std::max(dwellMs_, elapsedBeforeMs_)) return true;
  if (awayMs_ < kShort * dwellMs_) return false;
  const bool switched = (seen == LightState::infrared) != (settled_ == LightState::infrared);
  return settled_ == LightState::noSignal || (seen != LightState::noSignal && switched && moving);
}

LightState Settling::update(LightState seen, bool moving, double elapsedMs) {
  const double share = std::min(elapsedMs, kMostOfAFrame * neededMs(seen));
  const bool away = settled_ && seen != *settled_;
  awayMs_ = away && candidate_ && *candidate_ != *settled_ ? awayMs_ + share : 0;
  candidateMs_ = candidate_ == seen ? candidateMs_ + share : 0;
  candidate_ = seen;
  if (!settled_ || away) decide(seen, moving, elapsedMs);
  elapsedBeforeMs_ = elapsedMs;
  return settled_.value_or(LightState::transition);
}

void Settling::decide(LightState seen, bool moving, double elapsedMs) {
  const double neededMs = this->neededMs(seen);
  const bool still = !moving || seen == LightState::noSignal;
  if (candidateMs_ >= neededMs && (still || candidateMs_ >= kMostPatience * neededMs)) {
    settled_ = seen;
  } else if (settled_ && unsettles(seen, moving, elapsedMs)) {
    settled_.reset();
  }
}

}  // namespace mpm::monitor
