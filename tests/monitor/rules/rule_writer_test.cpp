// SPDX-License-Identifier: Apache-2.0
// A book that was written reads back as the same.
#include <gtest/gtest.h>

#include <string>

#include "in_project.h"
#include "monitor/rules/rules.h"

namespace mpm::test {
namespace {

using namespace monitor;

void expectSame(const RuleBook& book) {
  const std::string toml = rulesToml(book);
  RuleBook read;
  ASSERT_NO_THROW(read = parseRules(toml, "written")) << toml;
  EXPECT_TRUE(read == book) << toml;
  EXPECT_EQ(rulesToml(read), toml);
}

Rule metricRule(const std::string& name) {
  Rule rule;
  rule.name = name;
  rule.metric = "confidence";
  rule.below = 0.6;
  return rule;
}

TEST(RuleWriter, TheExampleReadsBackAsTheSame) {
  expectSame(readRules(inProject("monitor/rules/example.toml")));
}

TEST(RuleWriter, AnEmptyBookIsOne) { expectSame({}); }

TEST(RuleWriter, EveryKeyReadsBack) {
  RuleBook book;
  book.greenness = book.followCamera = true;
  book.ground = Ground{{{{0.3, 0.9}, {0.7, 0.9}, {0.6, 0.5}, {0.4, 0.5}}},
                       {{{0, 0}, {4, 0}, {4, 20.25}, {0, 20}}}};
  book.zones.push_back({"lawn", {{0.4, 0.9}, {0.6, 0.9}, {0.5, 0.6}}, true});
  book.zones.push_back({"gate", {{0.1, 0.2}, {0.30000000000000004, 1.0 / 3}, {1, 1}, {0, 0.95}}});
  Rule all = metricRule("all of it");
  all.metric = "zone.gate.area.car";
  all.above = 1e20;
  all.below = -2.5e-7;
  all.hysteresis = 0.125;
  all.dwellMs = 1;
  all.quietAfterLightMs = 366LL * 86400 * 1000;
  all.during = {kAllLightStates.begin(), kAllLightStates.end()};
  all.snapshot = true;
  all.clip = true;
  all.publish = false;
  all.command = {"logger", "--tag", "", "{source}: {rule}"};
  Rule light;
  light.name = "dark";
  light.light = {LightState::night, LightState::noSignal};
  Rule stale;
  stale.name = "lost";
  stale.stale = true;
  stale.dwellMs = 1500;
  book.rules = {all, light, stale};
  expectSame(book);
}

// Seen by the fuzzer: 16666666666666670080 was written, which no reader of TOML takes.
TEST(RuleWriter, NumbersOfAnySizeReadBack) {
  RuleBook book;
  for (const double number : {1.66666666666666670e19, -1.66666666666666670e19, 0x1p63, -0x1p63,
                              0x1p62, 9007199254740993.0, 1e21, 1e300, 5e-324, 0.1, 3.0}) {
    Rule rule = metricRule("rule " + std::to_string(book.rules.size()));
    rule.below = number;
    book.rules.push_back(rule);
  }
  expectSame(book);
}

TEST(RuleWriter, TextsStayAsTheyAre) {
  RuleBook book;
  for (const char* name :
       {"quote \" and \\ backslash", "\\\xc3\xa9 behind it", "# no comment", "'single'", "[[rule]]",
        "Stra\xc3\x9f"
        "e \xe2\x82\xac",
        " spaces ", "a = 1"}) {
    book.rules.push_back(metricRule(name));
  }
  book.rules[0].command = {"sh", "-c", "echo \"two\nlines\"\t\x01\x7f \\\xc3\xbc", "$HOME",
                           "\"\"\""};
  expectSame(book);
}

TEST(RuleWriter, SaysOnlyWhatIsNotUsual) {
  RuleBook book;
  book.rules.push_back(metricRule("unsure"));
  const std::string toml = rulesToml(book);
  for (const char* key : {"above", "hysteresis", "light", "stale", "dwell_s", "during", "snapshot",
                          "publish", "command"}) {
    EXPECT_EQ(toml.find(std::string("\n") + key), std::string::npos) << key;
  }
  EXPECT_NE(toml.find("\nbelow = 0.6\n"), std::string::npos);
}

}  // namespace
}  // namespace mpm::test
