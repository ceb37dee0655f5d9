// SPDX-License-Identifier: Apache-2.0
// Rules of the light, or that hold in some light alone.
#include <gtest/gtest.h>

#include "monitor/rules/fed_rules.h"
#include "monitor/rules/rules.h"

namespace mpm::test {
namespace {

using namespace monitor;

TEST(Rules, AfterALightChangeItIsQuiet) {
  Rule rule = metricRule();
  rule.quietAfterLightMs = 1000;
  Fed fed({rule});
  EXPECT_EQ(fed.at(0, 0.6), "+") << "the first frame's light is no change";
  EXPECT_EQ(fed.at(100, 0.1, LightState::dusk), "");
  EXPECT_EQ(fed.at(500, 0.1, LightState::night), "");
  EXPECT_EQ(fed.at(1499, 0.1, LightState::night), "") << "quiet since the last change";
  EXPECT_EQ(fed.at(1500, 0.1, LightState::night), "-");
  EXPECT_EQ(fed.at(2000, 0.6, LightState::day), "");
  EXPECT_EQ(fed.at(2999, 0.6), "");
  EXPECT_EQ(fed.at(3000, 0.6), "+");
}

TEST(Rules, InQuietTimeDwellGoesOn) {
  Rule rule = metricRule();
  rule.quietAfterLightMs = 1000;
  rule.dwellMs = 600;
  Fed fed({rule});
  EXPECT_EQ(fed.at(0, 0.1), "");
  EXPECT_EQ(fed.at(100, 0.6, LightState::dusk), "");
  EXPECT_EQ(fed.at(1099, 0.6, LightState::dusk), "");
  EXPECT_EQ(fed.at(1100, 0.6, LightState::dusk), "+");
  EXPECT_EQ(fed.last.text,
            "Rule 'cars' began: area.car has been above 0.5 for 1 s, and is 0.6 now.");
}

TEST(Rules, DuringItsStatesAlone) {
  Rule rule = metricRule();
  rule.during = {LightState::day, LightState::dusk};
  rule.dwellMs = 100;
  Fed fed({rule});
  EXPECT_EQ(fed.at(0, 0.6, LightState::night), "");
  EXPECT_EQ(fed.at(1000, 0.6, LightState::night), "");
  EXPECT_EQ(fed.at(1010, 0.6, LightState::dusk), "") << "dwell begins with the state";
  EXPECT_EQ(fed.at(1110, 0.6, LightState::day), "+");
  EXPECT_EQ(fed.at(3110, 0.6, LightState::night), "-");
  EXPECT_EQ(fed.last.text,
            "Rule 'cars' ended after 2 s: the light is night, and it holds only during day or "
            "dusk.");
  EXPECT_EQ(fed.at(3200, 0.6, LightState::day), "");
  EXPECT_EQ(fed.at(3300, kUnknown, LightState::night), "");
}

TEST(Rules, AStateThatIsLeftForAQuietTimeEndsNothing) {
  Rule rule = metricRule();
  rule.during = {LightState::day};
  rule.quietAfterLightMs = 1000;
  Fed fed({rule});
  EXPECT_EQ(fed.at(0, 0.6), "+");
  EXPECT_EQ(fed.at(100, 0.6, LightState::transition), "");
  EXPECT_EQ(fed.at(600, 0.6, LightState::day), "");
  EXPECT_EQ(fed.at(2000, 0.6, LightState::day), "");
  EXPECT_EQ(fed.at(3000, kUnknown, LightState::night), "");
  EXPECT_EQ(fed.at(4000, kUnknown, LightState::night), "-") << "whatever the value is";
  EXPECT_FALSE(fed.last.value);
}

TEST(Rules, OfTheLight) {
  Fed fed({lightRule({LightState::night, LightState::infrared}, 1000)});
  EXPECT_EQ(fed.at(0, kUnknown, LightState::day), "");
  EXPECT_EQ(fed.at(100, kUnknown, LightState::night), "");
  EXPECT_EQ(fed.at(1099, kUnknown, LightState::infrared), "");
  EXPECT_EQ(fed.at(1100, kUnknown, LightState::infrared), "+");
  EXPECT_FALSE(fed.last.value);
  EXPECT_EQ(fed.last.text,
            "Rule 'dark' began: the light has been night or infrared for 1 s, and is infrared "
            "now.");
  EXPECT_EQ(fed.at(2000, 0, LightState::night), "");
  EXPECT_EQ(fed.at(3000, 0, LightState::transition), "-");
  EXPECT_EQ(fed.last.text, "Rule 'dark' ended after 1.9 s: the light is transition.");
  Fed first({lightRule({LightState::noSignal})});
  EXPECT_EQ(first.at(0, 0, LightState::noSignal), "+") << "it may begin so";
}

}  // namespace
}  // namespace mpm::test
