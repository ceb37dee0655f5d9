// SPDX-License-Identifier: Apache-2.0
// Which time counts towards a rule's dwell and its length.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "monitor/rules/fed_rules.h"
#include "monitor/rules/rules.h"

namespace mpm::test {
namespace {

using namespace monitor;

TEST(Rules, TimeInWhichNothingWasKnownDoesNotCount) {
  Rule rule = metricRule();
  rule.dwellMs = 1000;
  Fed fed({rule});
  EXPECT_EQ(fed.at(0, 0.6), "");
  EXPECT_EQ(fed.at(400, kUnknown), "");
  EXPECT_EQ(fed.at(3000, kUnknown), "");
  EXPECT_EQ(fed.at(5000, 0.6), "") << "400 ms have been seen";
  EXPECT_EQ(fed.at(5599, 0.6), "");
  EXPECT_EQ(fed.at(5600, 0.6), "+");
}

TEST(Rules, TimeInWhichTheCameraWasGoneDoesNotCount) {
  Rule rule = metricRule();
  rule.dwellMs = 1000;
  Fed fed({rule, lightRule({LightState::day}, 1000)});
  EXPECT_EQ(fed.at(0, 0.6), "");
  EXPECT_EQ(fed.at(400, 0.6), "");
  EXPECT_EQ(fed.at(kHourMs, 0.6, LightState::day, 1), "");
  EXPECT_EQ(fed.at(kHourMs + 599, 0.6), "");
  EXPECT_EQ(fed.at(kHourMs + 600, 0.6), "++");
}

TEST(Rules, NorDoesItCountWhereTheRuleHolds) {
  constexpr std::int64_t kWeekMs = 168 * kHourMs;
  Fed away({metricRule()});
  EXPECT_EQ(away.at(0, 0.6), "+");
  EXPECT_EQ(away.at(400, 0.6), "");
  EXPECT_EQ(away.at(kWeekMs, 0.6, LightState::day, 1), "");
  EXPECT_EQ(away.at(kWeekMs + 600, 0.1), "-");
  EXPECT_EQ(away.last.text, "Rule 'cars' ended after 1 s: area.car is 0.1, back to 0.5 or less.");

  Fed unknown({metricRule()});
  EXPECT_EQ(unknown.at(0, 0.6), "+");
  EXPECT_EQ(unknown.at(400, kUnknown), "");
  EXPECT_EQ(unknown.at(kWeekMs, 0.6), "");
  EXPECT_EQ(unknown.at(kWeekMs + 600, 0.1), "-");
  EXPECT_EQ(unknown.last.text,
            "Rule 'cars' ended after 1 s: area.car is 0.1, back to 0.5 or less.");

  Fed last({metricRule(), staleRule(1000)});  // still away at the end
  EXPECT_EQ(last.at(0, 0.6), "+");
  EXPECT_EQ(last.at(500, 0.6), "");
  EXPECT_EQ(last.silentAt(1500, 1000), "+");
  last.clock.advance(60000);
  const std::vector<Firing> ended = last.rules.end(last.clock.now());
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[0].text, "Rule 'cars' ended after 0.5 s: the source is no longer watched.");
  EXPECT_EQ(ended[1].text, "Rule 'lost' ended after 1 min: the source is no longer watched.");
}

TEST(Rules, TimeInWhichFramesWereMissedDoesNotCount) {
  Rule rule = metricRule();
  rule.dwellMs = 1000;
  Fed fed({rule, lightRule({LightState::day}, 1000)});
  EXPECT_EQ(fed.at(0, 0.6), "");
  EXPECT_EQ(fed.at(400, 0.6), "");
  fed.rules.miss();
  EXPECT_EQ(fed.at(1400, 0.6), "");
  EXPECT_EQ(fed.at(1999, 0.6), "");
  EXPECT_EQ(fed.at(2000, 0.6), "++");
}

// A machine that slept: its camera may go on as if nothing had been.
TEST(Rules, TimeBetweenFramesThatAreFarApartDoesNotCountUnlessTheyUsuallyAre) {
  Rule rule = metricRule();
  rule.dwellMs = 60000;
  Fed fed({rule});
  for (int frame = 0; frame <= 100; ++frame) EXPECT_EQ(fed.at(100 * frame, 0.6), "");
  EXPECT_EQ(fed.at(kHourMs, 0.6), "") << "10 s have been seen";
  for (int frame = 1; frame < 500; ++frame) ASSERT_EQ(fed.at(kHourMs + 100 * frame, 0.6), "");
  EXPECT_EQ(fed.at(kHourMs + 50000, 0.6), "+");

  Fed seldom({rule});  // a frame every half a minute
  EXPECT_EQ(seldom.at(0, 0.6), "");
  EXPECT_EQ(seldom.at(30000, 0.6), "");
  EXPECT_EQ(seldom.at(60000, 0.6), "+");

  Fed slower({rule});  // the net has less time from now on
  for (int frame = 0; frame <= 100; ++frame) EXPECT_EQ(slower.at(100 * frame, 0.6), "");
  std::string began;
  for (int frame = 1; frame <= 20; ++frame) began += slower.at(10000 + 10000 * frame, 0.6);
  EXPECT_EQ(began, "+");
}

TEST(Rules, ASetWallClockChangesNothing) {
  for (const std::int64_t by : {kHourMs, -kHourMs}) {
    Rule rule = metricRule();
    rule.dwellMs = 1000;
    rule.quietAfterLightMs = 500;
    Fed fed({rule, lightRule({LightState::dusk}, 1000), staleRule(2000)});
    EXPECT_EQ(fed.at(0, 0.6), "");
    fed.clock.setUtc(fed.clock.now().utcMs + by);
    EXPECT_EQ(fed.at(999, 0.6), "");
    EXPECT_EQ(fed.at(1000, 0.6), "+");
    EXPECT_EQ(fed.last.at.utcMs, 1700000000000 + by + 1000);
    EXPECT_EQ(fed.at(1100, 0.1, LightState::dusk), "");
    fed.clock.setUtc(fed.clock.now().utcMs - by);
    EXPECT_EQ(fed.at(1599, 0.1, LightState::dusk), "");
    EXPECT_EQ(fed.at(1600, 0.1, LightState::dusk), "-");
    EXPECT_EQ(fed.at(2099, 0.1, LightState::dusk), "");
    EXPECT_EQ(fed.at(2100, 0.1, LightState::dusk), "+");
    fed.clock.setUtc(fed.clock.now().utcMs + by);
    EXPECT_EQ(fed.silentAt(4099, 1999), "");
    EXPECT_EQ(fed.silentAt(4100, 2000), "+");
  }
}

TEST(Rules, AFileThatBeginsAgainGoesOn) {
  Rule rule = metricRule();
  rule.dwellMs = 1000;
  Rules rules({rule}, Metrics({"area.car"}));
  const auto at = [&](std::int64_t ms) {
    return rules.update({{ms, ms, 0, true}, LightState::day, {0.6}}).size();
  };
  EXPECT_EQ(at(90000), 0U);
  EXPECT_EQ(at(90600), 0U);
  EXPECT_EQ(at(0), 0U);
  EXPECT_EQ(at(399), 0U);
  EXPECT_EQ(at(400), 1U);
}

}  // namespace
}  // namespace mpm::test
