// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/rules.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <utility>

#include "monitor/clock/manual_clock.h"

namespace mpm::test {
namespace {

using namespace monitor;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kHourMs = 3600000;

Rule metricRule() {
  Rule rule;
  rule.name = "cars";
  rule.metric = "area.car";
  rule.above = 0.5;
  return rule;
}

Rule lightRule(std::vector<LightState> light, std::int64_t dwellMs = 0) {
  Rule rule;
  rule.name = "dark";
  rule.light = std::move(light);
  rule.dwellMs = dwellMs;
  return rule;
}

Rule staleRule(std::int64_t dwellMs) {
  Rule rule;
  rule.name = "lost";
  rule.stale = true;
  rule.dwellMs = dwellMs;
  return rule;
}

// One source's rules, fed by hand. A step's answer: "+" for each rule that began, "-" for each
// that ended, in order.
class Fed {
 public:
  explicit Fed(std::vector<Rule> all)
      : rules(std::move(all), Metrics({"luma", "area.car", "reconnects"})) {}

  std::string at(std::int64_t ms, double value, LightState light = LightState::day,
                 double reconnects = 0) {
    clock.advance(ms - clock.now().steadyMs);
    return tell(rules.update({clock.now(), light, {0.5, value, reconnects}}));
  }

  std::string silentAt(std::int64_t ms, std::int64_t silentMs) {
    clock.advance(ms - clock.now().steadyMs);
    return tell(rules.silence(clock.now(), silentMs));
  }

  std::string tell(std::vector<Firing> fired) {
    std::string text;
    for (const Firing& firing : fired) text += firing.began ? "+" : "-";
    if (!fired.empty()) last = fired.back();
    return text;
  }

  ManualClock clock{1700000000000};
  Rules rules;
  Firing last;
};

TEST(Rules, AValueBeginsAndEndsARuleOnce) {
  Fed fed({metricRule()});
  EXPECT_EQ(fed.at(0, 0.5), "");
  EXPECT_EQ(fed.rules.holding(), std::vector{false});
  EXPECT_EQ(fed.at(100, 0.51), "+");
  EXPECT_EQ(fed.rules.holding(), std::vector{true});
  EXPECT_EQ(fed.last.rule, 0U);
  EXPECT_TRUE(fed.last.began);
  EXPECT_EQ(fed.last.at.steadyMs, 100);
  EXPECT_EQ(fed.last.at.utcMs, 1700000000100);
  EXPECT_EQ(fed.last.value, 0.51);
  EXPECT_EQ(fed.last.text, "Rule 'cars' began: area.car is 0.51, above 0.5.");
  EXPECT_EQ(fed.at(200, 0.9), "");
  EXPECT_EQ(fed.at(2700, 0.5), "-");
  EXPECT_EQ(fed.rules.holding(), std::vector{false});
  EXPECT_EQ(fed.last.value, 0.5);
  EXPECT_EQ(fed.last.text, "Rule 'cars' ended after 2.6 s: area.car is 0.5, back to 0.5 or less.");
  EXPECT_EQ(fed.at(2800, 0.6), "+");
}

TEST(Rules, DwellIsMetExactlyAtItsBorder) {
  Rule rule = metricRule();
  rule.dwellMs = 1000;
  Fed fed({rule});
  EXPECT_EQ(fed.at(50, 0.6), "");
  EXPECT_EQ(fed.at(1049, 0.6), "");
  EXPECT_EQ(fed.at(1050, 0.6), "+");
  EXPECT_EQ(fed.last.text,
            "Rule 'cars' began: area.car has been above 0.5 for 1 s, and is 0.6 now.");
  EXPECT_EQ(fed.at(1060, 0.4), "-");
  // What does not hold throughout starts anew.
  EXPECT_EQ(fed.at(2000, 0.6), "");
  EXPECT_EQ(fed.at(2999, 0.4), "");
  EXPECT_EQ(fed.at(3000, 0.6), "");
  EXPECT_EQ(fed.at(3999, 0.6), "");
  EXPECT_EQ(fed.at(4000, 0.6), "+");
}

TEST(Rules, HysteresisKeepsARuleUntilTheValueIsBack) {
  Rule rule = metricRule();
  rule.hysteresis = 0.25;
  rule.dwellMs = 100;
  Fed fed({rule});
  EXPECT_EQ(fed.at(0, 0.6), "");
  EXPECT_EQ(fed.at(50, 0.4), "") << "before it began, hysteresis does not help a value";
  EXPECT_EQ(fed.at(100, 0.6), "");
  EXPECT_EQ(fed.at(150, 0.6), "");
  EXPECT_EQ(fed.at(200, 0.6), "+");
  EXPECT_EQ(fed.at(300, 0.26), "");
  EXPECT_EQ(fed.at(400, 0.25), "-");
  EXPECT_EQ(fed.at(500, 0.26), "");
  EXPECT_EQ(fed.at(600, 0.5), "");
}

TEST(Rules, BelowAndBothAreTheOtherWaysRound) {
  Rule below = metricRule(), both = metricRule();
  below.above.reset();
  below.below = 0.25;
  below.hysteresis = 0.125;
  both.name = "both";
  both.below = 0.25;
  both.hysteresis = 0.0625;
  Fed fed({below, both});
  EXPECT_EQ(fed.at(0, 0.25), "");
  EXPECT_EQ(fed.at(1, 0.2), "++");
  EXPECT_EQ(fed.at(2, 0.3), "");
  EXPECT_EQ(fed.at(3, 0.6), "-") << "from below to above: the range is still left";
  EXPECT_EQ(fed.rules.holding(), (std::vector{false, true}));
  EXPECT_EQ(fed.at(4, 0.44), "") << "above 0.4375, less than 0.5";
  EXPECT_EQ(fed.at(5, 0.4375), "-");
  EXPECT_EQ(fed.last.rule, 1U);
}

TEST(Rules, WhatIsNotKnownNeitherBeginsNorEnds) {
  Fed fed({metricRule()});
  EXPECT_EQ(fed.at(0, kUnknown), "");
  EXPECT_EQ(fed.at(1, 0.6), "+");
  EXPECT_EQ(fed.at(2, kUnknown), "");
  EXPECT_EQ(fed.rules.holding(), std::vector{true});
  EXPECT_EQ(fed.at(3, 0.6), "");
  EXPECT_EQ(fed.at(4, 0.1), "-");
}

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

TEST(Rules, OfSilence) {
  Fed fed({metricRule(), staleRule(5000)});
  EXPECT_EQ(fed.at(0, 0.1), "");
  EXPECT_EQ(fed.silentAt(4999, 4999), "");
  EXPECT_EQ(fed.silentAt(5000, 5000), "+");
  EXPECT_EQ(fed.last.rule, 1U);
  EXPECT_FALSE(fed.last.value);
  EXPECT_EQ(fed.last.text, "Rule 'lost' began: no frame has come for 5 s.");
  EXPECT_EQ(fed.silentAt(6000, 6000), "");
  EXPECT_EQ(fed.silentAt(65000, 65000), "");
  EXPECT_EQ(fed.rules.holding(), (std::vector{false, true}));
  EXPECT_EQ(fed.at(66000, 0.1), "-");
  EXPECT_EQ(fed.last.text,
            "Rule 'lost' ended after 1 min 1 s: frames come again, after 1 min 6 s without.");
  EXPECT_EQ(fed.at(67000, 0.1), "");
  EXPECT_EQ(fed.silentAt(72000, 5000), "+");
  EXPECT_EQ(fed.silentAt(73000, 200), "-") << "a frame came that is not through yet";
  EXPECT_EQ(fed.at(73100, 0.1), "");
}

// Where the engine takes frames seldom, or its net is busy, the last one waits for it.
TEST(Rules, AFrameFromBeforeTheSilenceDoesNotEndIt) {
  Fed fed({staleRule(5000)});
  EXPECT_EQ(fed.at(0, 0.1), "");
  EXPECT_EQ(fed.silentAt(5900, 5000), "+");
  const Moment last{900, 1700000000900, 0, true};
  EXPECT_EQ(fed.tell(fed.rules.update({last, LightState::day, {0.5, 0.1, 0}})), "");
  EXPECT_EQ(fed.silentAt(10100, 9200), "");
  EXPECT_EQ(fed.rules.holding(), std::vector{true});
  EXPECT_EQ(fed.at(11000, 0.1), "-");
  EXPECT_EQ(fed.last.text, "Rule 'lost' ended after 5.1 s: frames come again, after 10 s without.");
}

TEST(Rules, SilenceLeavesOtherRulesAlone) {
  Fed fed({metricRule(), lightRule({LightState::day})});
  EXPECT_EQ(fed.at(0, 0.6), "++");
  EXPECT_EQ(fed.silentAt(kHourMs, kHourMs), "");
  EXPECT_EQ(fed.rules.holding(), (std::vector{true, true}));
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

TEST(Rules, WhatItSaysDependsOnWhatItIsToldAlone) {
  Rule rule = metricRule();
  rule.dwellMs = 20;
  rule.hysteresis = 0.1;
  std::vector<std::string> texts[2];
  for (auto& said : texts) {
    Fed fed({rule, lightRule({LightState::night})});
    std::uint32_t state = 12345;
    for (int i = 0; i < 2000; ++i) {
      state = state * 1664525U + 1013904223U;
      const auto light = (state >> 28) == 0 ? LightState::night : LightState::day;
      if (!fed.at(i * 10, (state >> 16) % 1000 / 1000.0, light).empty())
        said.push_back(fed.last.text);
    }
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_GT(texts[0].size(), 100U);
}

TEST(Rules, OtherOnesReplaceThemAndThoseThatStayGoOn) {
  Rule other = metricRule(), slow = metricRule();
  other.name = "other";
  slow.name = "slow";
  slow.dwellMs = 1000;
  Fed fed({metricRule(), other, slow});
  EXPECT_EQ(fed.at(0, 0.6), "++");
  Rule changed = other;
  changed.above = 0.55;
  const Rules::Replaced replaced =
      fed.rules.replace({slow, changed, metricRule()}, fed.clock.now());
  ASSERT_EQ(replaced.firings.size(), 1u) << "the one that stays says nothing";
  EXPECT_EQ(replaced.before.at(replaced.firings[0].rule).name, "other");
  EXPECT_FALSE(replaced.firings[0].began);
  EXPECT_EQ(replaced.firings[0].text, "Rule 'other' ended: it was changed or removed.");
  EXPECT_EQ(fed.rules.holding(), (std::vector{false, false, true}));
  EXPECT_EQ(fed.at(999, 0.6), "+") << "the changed one begins anew";
  EXPECT_EQ(fed.at(1000, 0.6), "+") << "what was dwelt counts on";
  EXPECT_EQ(fed.last.rule, 0u);
}

TEST(Rules, AtTheEndThoseThatHoldEnd) {
  Rule slow = metricRule();
  slow.name = "slow";
  slow.dwellMs = 5000;
  Fed fed({slow, metricRule(), staleRule(1000)});
  EXPECT_EQ(fed.at(0, 0.6), "+");
  EXPECT_EQ(fed.silentAt(1000, 1000), "+");
  fed.clock.advance(60000);
  const std::vector<Firing> ended = fed.rules.end(fed.clock.now());
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[0].rule, 1U);
  EXPECT_FALSE(ended[0].began);
  EXPECT_EQ(ended[0].at.steadyMs, 61000);
  EXPECT_EQ(ended[0].text, "Rule 'cars' ended after 1 min 1 s: the source is no longer watched.");
  EXPECT_EQ(ended[1].text, "Rule 'lost' ended after 1 min: the source is no longer watched.");
  EXPECT_EQ(fed.rules.holding(), (std::vector{false, false, false}));
  EXPECT_TRUE(fed.rules.end(fed.clock.now()).empty());
}

TEST(Rules, WhatCannotBeReplacesNothing) {
  Fed fed({metricRule()});
  EXPECT_EQ(fed.at(0, 0.6), "+");
  Rule wrong = metricRule();
  wrong.metric = "area.cow";
  EXPECT_THROW(fed.rules.replace({wrong}, fed.clock.now()), std::runtime_error);
  EXPECT_EQ(fed.rules.holding(), std::vector{true});
  EXPECT_EQ(fed.at(10, 0.4), "-");
}

TEST(Rules, FiguresOfOtherMetricsAreRefused) {
  Rules rules({metricRule()}, Metrics({"area.car"}));
  EXPECT_THROW(rules.update({{}, LightState::day, {}}), std::invalid_argument);
}

}  // namespace
}  // namespace mpm::test
