// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <utility>

#include "monitor/rules/rules.h"

namespace mpm::test {
namespace {

using namespace monitor;

Rule above(const std::string& name, const std::string& metric) {
  Rule rule;
  rule.name = name;
  rule.metric = metric;
  rule.above = 1;
  return rule;
}

std::string faultIn(std::vector<Rule> rules, const Metrics& metrics) {
  try {
    checkRules({std::move(rules), {}}, metrics);
  } catch (const std::runtime_error& fault) {
    return fault.what();
  }
  return "none";
}

const std::vector<std::string> kNames{"luma",      "confidence",  "area.car",
                                      "area.cart", "area.person", "zone.gate.area.car"};

TEST(RuleCheck, MetricsThatThereAreAreFine) {
  Rule light, stale;
  light.name = "light";
  light.light = {LightState::day};
  stale.name = "stale";
  stale.stale = true;
  stale.dwellMs = 1;
  EXPECT_EQ(faultIn({above("a", "luma"), above("b", "area.car"), light, stale}, Metrics(kNames)),
            "none");
  EXPECT_EQ(faultIn({}, Metrics()), "none");
}

TEST(RuleCheck, AWrongMetricIsToldWithThoseLikeIt) {
  EXPECT_EQ(faultIn({above("a", "area.cra")}, Metrics(kNames)),
            "rule 'a' looks at metric 'area.cra', which does not exist; similar: area.car and "
            "area.cart");
  EXPECT_EQ(
      faultIn({above("b", "car")}, Metrics(kNames)),
      "rule 'b' looks at metric 'car', which does not exist; similar: area.car, area.cart and "
      "zone.gate.area.car");
  EXPECT_EQ(faultIn({above("c", "temperature")}, Metrics({"luma", "drops"})),
            "rule 'c' looks at metric 'temperature', which does not exist; known metrics: luma and "
            "drops");
  EXPECT_EQ(faultIn({above("c", "luma")}, Metrics()),
            "rule 'c' looks at metric 'luma', which does not exist; there are no metrics");
  std::vector<std::string> many;
  for (int i = 0; i < 20; ++i) many.push_back("rows." + std::to_string(i));
  EXPECT_EQ(faultIn({above("c", "temperature")}, Metrics(many)),
            "rule 'c' looks at metric 'temperature', which does not exist; known metrics: rows.0, "
            "rows.1, rows.2, rows.3, rows.4, rows.5, rows.6, rows.7 and 12 more");
}

TEST(RuleCheck, RulesThatNobodyReadFromAFileAreCheckedToo) {
  const Metrics metrics(kNames);
  EXPECT_EQ(faultIn({above("", "luma")}, metrics), "a rule has no name; add name = \"...\"");
  EXPECT_EQ(faultIn({above("a", "luma"), above("a", "luma")}, metrics),
            "two rules are called 'a'; each needs its own name");
  Rule rule = above("a", "luma");
  rule.dwellMs = -1;
  EXPECT_EQ(faultIn({rule}, metrics), "rule 'a': dwell_s is negative; make it 0 or more");
  rule = above("a", "luma");
  rule.quietAfterLightMs = -1;
  EXPECT_EQ(faultOf(rule)->key, "quiet_after_light_s");
  rule = above("a", "luma");
  rule.above = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(faultOf(rule)->key, "above");
  rule = above("a", "luma");
  rule.hysteresis = std::numeric_limits<double>::infinity();
  EXPECT_EQ(faultOf(rule)->key, "hysteresis");
  EXPECT_THROW(Rules({above("a", "nothing")}, metrics), std::runtime_error);
}

}  // namespace
}  // namespace mpm::test
