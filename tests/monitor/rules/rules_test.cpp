// SPDX-License-Identifier: Apache-2.0
// What begins and ends rules, and what replaces them.
#include "monitor/rules/rules.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "monitor/rules/fed_rules.h"

namespace mpm::test {
namespace {

using namespace monitor;

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
