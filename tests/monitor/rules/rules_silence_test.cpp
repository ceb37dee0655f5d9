// SPDX-License-Identifier: Apache-2.0
// Rules of a source that gives no frames.
#include <gtest/gtest.h>

#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/rules/fed_rules.h"
#include "monitor/rules/rules.h"

namespace mpm::test {
namespace {

using namespace monitor;

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

}  // namespace
}  // namespace mpm::test
