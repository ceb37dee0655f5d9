// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace mpm::monitor {

enum class LightState {
  day,
  dusk,        ///< dim, in colour: mornings, evenings, heavy weather
  night,       ///< dark, in colour: lamps, headlights
  infrared,    ///< the camera's infrared light: bright or dark, without colour
  noSignal,    ///< black, or one colour all over
  transition,  ///< on the way: the picture's light is changing, or has not been settled for long
  unknown,     ///< not known yet: dim or dark, of a camera that was not seen by day so far
};

constexpr std::size_t kLightStates = 7;
constexpr std::array<LightState, kLightStates> kAllLightStates{
    LightState::day,      LightState::dusk,       LightState::night,  LightState::infrared,
    LightState::noSignal, LightState::transition, LightState::unknown};

/// Returns "day", "dusk", "night", "infrared", "no_signal", "transition" or "unknown", for files,
/// metrics and messages.
constexpr std::string_view nameOf(LightState state) {
  constexpr std::array<std::string_view, kLightStates> kNames{
      "day", "dusk", "night", "infrared", "no_signal", "transition", "unknown"};
  return kNames[std::min(static_cast<std::size_t>(state), kNames.size() - 1)];
}
constexpr std::optional<LightState> lightStateOf(std::string_view name) {
  for (const LightState state : kAllLightStates) {
    if (name == nameOf(state)) return state;
  }
  return std::nullopt;
}

/// Index of what is learnt in each light. Nothing is learnt in a transition, so it shares the index
/// of the unknown light.
constexpr std::size_t kLearntLights = kLightStates - 1;
constexpr std::size_t learntPlace(LightState state) {
  return std::min(static_cast<std::size_t>(state), kLearntLights - 1);
}

/// Tells which states count as night when days are compared with nights.
constexpr bool isNight(LightState state) {
  return state == LightState::night || state == LightState::infrared;
}

}  // namespace mpm::monitor
