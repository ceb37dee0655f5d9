// SPDX-License-Identifier: Apache-2.0
#include "monitor/light/light_state.h"

namespace mpm::monitor {
namespace {

constexpr std::array<std::string_view, kLightStates> kNames{"day",      "dusk",      "night",
                                                            "infrared", "no_signal", "transition"};

}  // namespace

std::string_view nameOf(LightState state) {
  const auto place = static_cast<std::size_t>(state);
  return place < kNames.size() ? kNames[place] : "unknown";
}

std::optional<LightState> lightStateOf(std::string_view name) {
  for (const LightState state : kAllLightStates) {
    if (name == nameOf(state)) return state;
  }
  return std::nullopt;
}

}  // namespace mpm::monitor
