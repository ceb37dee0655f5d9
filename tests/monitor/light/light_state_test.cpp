// SPDX-License-Identifier: Apache-2.0
#include "monitor/light/light_state.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace mpm::test {
namespace {

using namespace monitor;

TEST(LightState, NamesAreThoseOfFilesAndMetrics) {
  EXPECT_EQ(nameOf(LightState::day), "day");
  EXPECT_EQ(nameOf(LightState::dusk), "dusk");
  EXPECT_EQ(nameOf(LightState::night), "night");
  EXPECT_EQ(nameOf(LightState::infrared), "infrared");
  EXPECT_EQ(nameOf(LightState::noSignal), "no_signal");
  EXPECT_EQ(nameOf(LightState::transition), "transition");
}

TEST(LightState, EachIsFoundByItsName) {
  std::set<std::string> names;
  for (const LightState state : kAllLightStates) {
    EXPECT_EQ(lightStateOf(nameOf(state)), state);
    names.emplace(nameOf(state));
  }
  EXPECT_EQ(names.size(), kLightStates);
}

TEST(LightState, OtherNamesAreNone) {
  for (const char* name : {"", "Day", "day ", "unknown", "no signal"}) {
    EXPECT_FALSE(lightStateOf(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace mpm::test
