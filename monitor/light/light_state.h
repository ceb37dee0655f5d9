// SPDX-License-Identifier: Apache-2.0
#pragma once

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
};

constexpr std::size_t kLightStates = 6;
constexpr std::array<LightState, kLightStates> kAllLightStates{
    LightState::day,      LightState::dusk,     LightState::night,
    LightState::infrared, LightState::noSignal, LightState::transition};

/// "day", "dusk", "night", "infrared", "no_signal", "transition": in files, metrics and messages.
constexpr std::string_view nameOf(LightState state) {
  constexpr std::array<std::string_view, kLightStates> kNames{
      "day", "dusk", "night", "infrared", "no_signal", "transition"};
  const auto place = static_cast<std::size_t>(state);
  return place < kNames.size() ? kNames[place] : "unknown";
}
constexpr std::optional<LightState> lightStateOf(std::string_view name) {
  for (const LightState state : kAllLightStates) {
    if (name == nameOf(state)) return state;
  }
  return std::nullopt;
}

/// Says which states count as night where days are compared with nights.
constexpr bool isNight(LightState state) {
  return state == LightState::night || state == LightState::infrared;
}

}  // namespace mpm::monitor
