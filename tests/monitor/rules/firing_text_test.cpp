// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/firing_text.h"

#include <gtest/gtest.h>

#include <limits>

#include "comma_locale.h"

namespace mpm::test {
namespace {

using namespace monitor;

Rule carRule() {
  Rule rule;
  rule.name = "cars";
  rule.metric = "area.car";
  rule.above = 0.25;
  rule.hysteresis = 0.03;
  return rule;
}

TEST(FiringText, AValueShowsOnWhichSideItLies) {
  EXPECT_EQ(valueText(0.3, 0.25), "0.3");
  EXPECT_EQ(valueText(1.0 / 3, 0.25), "0.3333");
  EXPECT_EQ(valueText(0.2500001, 0.25), "0.2500001");
  EXPECT_EQ(valueText(0.2499999, 0.25), "0.2499999");
  EXPECT_EQ(valueText(0.25, 0.25), "0.25");
  EXPECT_EQ(valueText(1234567, 500), "1234567");
  EXPECT_EQ(valueText(12345.678, 500), "12346");
  EXPECT_EQ(valueText(-0.5, 0), "-0.5");
  EXPECT_EQ(valueText(std::numeric_limits<double>::infinity(), 1), "inf");
}

TEST(FiringText, OfAMetric) {
  Rule rule = carRule();
  EXPECT_EQ(beganText(rule, {0.31, LightState::day, 0, 0}),
            "Rule 'cars' began: area.car is 0.31, above 0.25.");
  rule.dwellMs = 10000;
  EXPECT_EQ(beganText(rule, {0.31, LightState::day, 12000, 0}),
            "Rule 'cars' began: area.car has been above 0.25 for 12 s, and is 0.31 now.");
  EXPECT_EQ(endedText(rule, {0.2, LightState::day, 125000, 0}),
            "Rule 'cars' ended after 2 min 5 s: area.car is 0.2, back to 0.22 or less.");
  rule.during = {LightState::day, LightState::dusk};
  EXPECT_EQ(endedText(rule, {0.4, LightState::night, 125000, 0}),
            "Rule 'cars' ended after 2 min 5 s: the light is night, and it holds only during day "
            "or dusk.");
}

TEST(FiringText, OfARange) {
  Rule rule = carRule();
  rule.below = 0.05;
  EXPECT_EQ(beganText(rule, {0.31, LightState::day, 0, 0}),
            "Rule 'cars' began: area.car is 0.31, outside of 0.05 to 0.25.");
  EXPECT_EQ(beganText(rule, {0.04999999, LightState::day, 0, 0}),
            "Rule 'cars' began: area.car is 0.04999999, outside of 0.05 to 0.25.");
  EXPECT_EQ(endedText(rule, {0.1, LightState::day, 1000, 0}),
            "Rule 'cars' ended after 1 s: area.car is 0.1, back to between 0.08 and 0.22.");
  rule.above.reset();
  EXPECT_EQ(beganText(rule, {0.01, LightState::day, 0, 0}),
            "Rule 'cars' began: area.car is 0.01, below 0.05.");
  EXPECT_EQ(endedText(rule, {0.1, LightState::day, 1000, 0}),
            "Rule 'cars' ended after 1 s: area.car is 0.1, back to 0.08 or more.");
}

TEST(FiringText, OfTheLight) {
  Rule rule;
  rule.name = "dark";
  rule.light = {LightState::night};
  EXPECT_EQ(beganText(rule, {0, LightState::night, 0, 0}),
            "Rule 'dark' began: the light is night.");
  rule.dwellMs = 60000;
  EXPECT_EQ(beganText(rule, {0, LightState::night, 60000, 0}),
            "Rule 'dark' began: the light has been night for 1 min.");
  rule.light = {LightState::night, LightState::infrared};
  EXPECT_EQ(beganText(rule, {0, LightState::infrared, 60000, 0}),
            "Rule 'dark' began: the light has been night or infrared for 1 min, and is infrared "
            "now.");
  EXPECT_EQ(endedText(rule, {0, LightState::day, 3600000, 0}),
            "Rule 'dark' ended after 1 h: the light is day.");
}

TEST(FiringText, OfSilence) {
  Rule rule;
  rule.name = "lost";
  rule.stale = true;
  EXPECT_EQ(beganText(rule, {0, LightState::day, 60000, 61000}),
            "Rule 'lost' began: no frame has come for 1 min 1 s.");
  EXPECT_EQ(endedText(rule, {0, LightState::day, 300000, 361000}),
            "Rule 'lost' ended after 5 min: frames come again, after 6 min 1 s without.");
}

TEST(FiringText, NumbersDoNotFollowTheLocale) {
  const CommaLocale locale;
  if (!locale.isThere()) GTEST_SKIP() << CommaLocale::kWhyNot;
  EXPECT_EQ(valueText(0.2500001, 0.25), "0.2500001");
}

}  // namespace
}  // namespace mpm::test
