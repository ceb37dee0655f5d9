// SPDX-License-Identifier: Apache-2.0
// What a rules file holds, what is refused of it, and that what is written reads back as the same.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "cli/folder.h"
#include "in_project.h"
#include "monitor/rules/rules.h"

namespace mpm::test {
namespace {

using namespace monitor;

// A rule with a name in line 2, a metric in line 3, and these lines behind.
std::string metricRule(const std::string& lines) {
  return "[[rule]]\nname = \"gate\"\nmetric = \"area.car\"\n" + lines;
}

std::string faultIn(const std::string& toml) {
  try {
    parseRules(toml, "r.toml");
  } catch (const std::runtime_error& fault) {
    return fault.what();
  }
  return "none";
}

#define EXPECT_FAULT(toml, text) EXPECT_EQ(faultIn(toml).substr(0, std::string(text).size()), text)

TEST(RuleBook, HoldsEverythingThatIsSaid) {
  const RuleBook book = parseRules(R"(
[[rule]]
name = "Tor \"A\" – früh"
metric = "zone.my_gate.area.car"
above = 1
below = 0.25
hysteresis = 0.125
dwell_s = 1.5
quiet_after_light_s = 60
during = ["day", "no_signal"]
snapshot = true
clip = true
publish = false
notify = true
command = ["/bin/echo", "{rule}", ""]
[[rule]]
name = "dark"
light = "infrared"
[[rule]]
name = "lost"
stale = true
dwell_s = 30
[[zone]]
name = "my gate"
corners = [[0, 0], [1, 0.0], [0.5, 1]]
)",
                                   "r.toml");
  ASSERT_EQ(book.rules.size(), 3U);
  const Rule& rule = book.rules[0];
  EXPECT_EQ(rule.name, "Tor \"A\" – früh");
  EXPECT_EQ(rule.metric, "zone.my_gate.area.car");
  EXPECT_EQ(rule.above, 1.0);
  EXPECT_EQ(rule.below, 0.25);
  EXPECT_EQ(rule.hysteresis, 0.125);
  EXPECT_EQ(rule.dwellMs, 1500);
  EXPECT_EQ(rule.quietAfterLightMs, 60000);
  EXPECT_EQ(rule.during, (std::vector{LightState::day, LightState::noSignal}));
  EXPECT_TRUE(rule.snapshot && rule.clip && !rule.publish && !rule.stale && rule.light.empty());
  EXPECT_TRUE(rule.notify && !book.rules[1].notify);
  EXPECT_EQ(rule.command, (std::vector<std::string>{"/bin/echo", "{rule}", ""}));
  EXPECT_EQ(book.rules[1].light, std::vector{LightState::infrared});
  EXPECT_TRUE(book.rules[1].publish && !book.rules[1].snapshot && book.rules[1].command.empty());
  EXPECT_TRUE(book.rules[2].stale);
  EXPECT_EQ(book.rules[2].dwellMs, 30000);
  ASSERT_EQ(book.zones.size(), 1U);
  EXPECT_EQ(book.zones[0], (Zone{"my gate", {{0, 0}, {1, 0}, {0.5, 1}}}));
}

TEST(RuleBook, MayBeEmpty) {
  EXPECT_TRUE(parseRules("", "r.toml").rules.empty());
  EXPECT_TRUE(parseRules("# nothing\n", "r.toml").zones.empty());
}

TEST(RuleBook, WhatIsNoTomlIsRefusedWithItsLine) {
  EXPECT_FAULT("\n\n[[rule]\n", "r.toml:3: ");
  EXPECT_FAULT("[[rule]]\nname = \"a\"\nname = \"b\"\n", "r.toml:3: ");
  EXPECT_FAULT("[[rule]]\nname = \"\xff\"\n", "r.toml:2: ");
}

TEST(RuleBook, UnknownKeysAreRefusedWithTheNearest) {
  EXPECT_FAULT("\n[[rules]]\nname = \"a\"\n",
               "r.toml:2: this file: there is no key 'rules'; did you mean 'rule'?");
  EXPECT_FAULT("quick = 1\n",
               "r.toml:1: this file: there is no key 'quick'; known keys: rule, zone, "
               "ground, greenness and follow_camera");
  EXPECT_FAULT(metricRule("abov = 1\n"),
               "r.toml:4: rule 'gate': there is no key 'abov'; did you mean 'above'?");
  EXPECT_FAULT(metricRule("above = 1\ndwell = 1\n"),
               "r.toml:5: rule 'gate': there is no key 'dwell'; did you mean 'dwell_s'?");
  EXPECT_FAULT("[[rule]]\nnmae = \"a\"\n",
               "r.toml:2: a rule: there is no key 'nmae'; did you mean 'name'?");
  EXPECT_FAULT("[[zone]]\nname = \"a\"\ncorner = []\n",
               "r.toml:3: zone 'a': there is no key 'corner'; did you mean 'corners'?");
}

TEST(RuleBook, TablesHaveToBeLists) {
  EXPECT_FAULT("[rule]\nname = \"a\"\n", "r.toml:1: rule is a table; [[rule]] begins each rule");
  EXPECT_FAULT("rule = [1]\n", "r.toml:1: rule contains a number; [[rule]] begins each rule");
  EXPECT_FAULT("zone = \"a\"\n", "r.toml:1: zone is a string; [[zone]] begins each zone");
}

TEST(RuleBook, NamesAreNeededAndUnique) {
  EXPECT_FAULT("\n[[rule]]\nstale = true\n", "r.toml:2: a rule: it has no name");
  EXPECT_FAULT("[[rule]]\nname = \"\"\n", "r.toml:2: a rule: name is empty");
  EXPECT_FAULT("[[rule]]\nname = \"a\\nb\"\n",
               "r.toml:2: a rule: name contains a control character");
  EXPECT_FAULT(metricRule("above = 1\n") + metricRule("above = 2\n"),
               "r.toml:6: rule 'gate': line 2 has that name already; each needs its own");
}

TEST(RuleBook, WrongTypesAreRefused) {
  EXPECT_FAULT("[[rule]]\nname = 1\n", "r.toml:2: a rule: name is a number; write a string");
  EXPECT_FAULT("[[rule]]\nname = \"a\"\nmetric = [\"luma\"]\n",
               "r.toml:3: rule 'a': metric is a list; write a string");
  EXPECT_FAULT(metricRule("above = \"1\"\n"),
               "r.toml:4: rule 'gate': above is a string; write a number");
  EXPECT_FAULT(metricRule("below = nan\n"), "r.toml:4: rule 'gate': below is not finite");
  EXPECT_EQ(parseRules(metricRule("above = 9223372036854775807\n"), "").rules[0].above, 0x1p63);
  EXPECT_FAULT(metricRule("hysteresis = true\n"),
               "r.toml:4: rule 'gate': hysteresis is true or false; write a number");
  EXPECT_FAULT(metricRule("snapshot = 1\n"),
               "r.toml:4: rule 'gate': snapshot is a number; write true or false");
  EXPECT_FAULT(metricRule("publish = 07:32:00\n"),
               "r.toml:4: rule 'gate': publish is a date or time; write true or false");
}

TEST(RuleBook, TimesAreSecondsInRange) {
  for (const char* wrong : {"\"10 s\"", "[1]"}) {
    EXPECT_FAULT(metricRule("above = 1\ndwell_s = " + std::string(wrong)),
                 "r.toml:5: rule 'gate': dwell_s is a ");
  }
  for (const char* wrong : {"-1", "-0.001", "inf", "nan", "31622401", "9223372036854775807"}) {
    EXPECT_FAULT(
        metricRule("above = 1\nquiet_after_light_s = " + std::string(wrong)),
        "r.toml:5: rule 'gate': quiet_after_light_s is out of range; write a number of seconds "
        "from 0 to 31622400");
  }
}

TEST(RuleBook, ARuleLooksAtOneThing) {
  EXPECT_FAULT(
      "[[rule]]\nname = \"a\"\n",
      "r.toml:2: rule 'a': looks at nothing; give it one of metric, light and stale = true");
  EXPECT_FAULT("[[rule]]\nname = \"a\"\nstale = false\n", "r.toml:2: rule 'a': looks at nothing");
  EXPECT_FAULT(metricRule("above = 1\nlight = \"day\"\n"),
               "r.toml:5: rule 'gate': looks at metric and light at once; keep one of");
  EXPECT_FAULT("[[rule]]\nname = \"a\"\nlight = \"day\"\nstale = true\ndwell_s = 1\n",
               "r.toml:4: rule 'a': looks at light and stale at once");
}

TEST(RuleBook, ImpossibleLevelsAreRefused) {
  EXPECT_FAULT(metricRule(""), "r.toml:3: rule 'gate': has neither above nor below");
  EXPECT_FAULT(metricRule("above = 1\nbelow = 1\n"),
               "r.toml:5: rule 'gate': below must be less than above");
  EXPECT_FAULT(metricRule("above = 1\nhysteresis = -0.5\n"),
               "r.toml:5: rule 'gate': hysteresis is negative; make it 0 or more");
  EXPECT_FAULT(metricRule("above = 1\nbelow = 0\nhysteresis = 0.5\n"),
               "r.toml:6: rule 'gate': hysteresis is so large that the rule could never end");
  EXPECT_EQ(faultIn(metricRule("above = 1\nbelow = 0\nhysteresis = 0.49\n")), "none");
}

TEST(RuleBook, WhatBelongsToMetricsIsRefusedElsewhere) {
  const std::string light = "[[rule]]\nname = \"a\"\nlight = \"day\"\n";
  for (const char* key : {"above = 1", "below = 1", "hysteresis = 1", "quiet_after_light_s = 1",
                          "during = \"day\""}) {
    const std::string line(key);
    EXPECT_FAULT(light + line, "r.toml:4: rule 'a': " + line.substr(0, line.find(' ')) +
                                   " belongs to a rule with a metric");
  }
  EXPECT_FAULT("[[rule]]\nname = \"a\"\nstale = true\n", "r.toml:3: rule 'a': stale needs dwell_s");
}

TEST(RuleBook, LightStatesAreKnownOnes) {
  EXPECT_FAULT("[[rule]]\nname = \"a\"\nlight = [\"day\",\n\"evening\"]\n",
               "r.toml:3: rule 'a': light contains 'evening', which is not a light state; the "
               "states are day, "
               "dusk, night, infrared, no_signal, transition and unknown");
  EXPECT_FAULT(metricRule("above = 1\nduring = \"Day\"\n"),
               "r.toml:5: rule 'gate': during contains 'Day', which is not a light state");
  EXPECT_FAULT(metricRule("above = 1\nduring = []\n"),
               "r.toml:5: rule 'gate': during is an empty list");
  EXPECT_FAULT("[[rule]]\nname = \"a\"\nlight = 3\n",
               "r.toml:3: rule 'a': light is a number; write a string or a list of strings");
}

TEST(RuleBook, ACommandIsAListOfTexts) {
  const auto with = [](const std::string& command) {
    return metricRule("above = 1\ncommand = " + command + "\n");
  };
  EXPECT_FAULT(with("\"beep\""),
               "r.toml:5: rule 'gate': command is a string; write a list of strings");
  EXPECT_FAULT(with("[]"), "r.toml:5: rule 'gate': command is an empty list");
  EXPECT_FAULT(with("[\"beep\",\n\n 3]"), "r.toml:7: rule 'gate': command contains a number");
  EXPECT_FAULT(with("[\"\"]"), "r.toml:5: rule 'gate': command begins with an empty string");
  EXPECT_FAULT(with("[\"a\", \"\\u0000\"]"), "r.toml:5: rule 'gate': command contains a zero byte");
  EXPECT_FAULT(with("[\"a\", \"{sourc}\"]"),
               "r.toml:5: rule 'gate': command contains {sourc}, which means nothing here; did you "
               "mean {source}?");
}

TEST(RuleBook, ZonesThatRulesLookAtHaveToBeThere) {
  const std::string zone = "[[zone]]\nname = \"gate\"\ncorners = [[0, 0], [1, 0], [0.5, 1]]\n";
  const auto rule = [](const std::string& zoneName) {
    return "[[rule]]\nname = \"a\"\nabove = 0.5\nmetric = \"zone." + zoneName + ".area.car\"\n";
  };
  EXPECT_EQ(faultIn(rule("gate") + zone), "none");
  EXPECT_FAULT(rule("gate"),
               "r.toml:4: rule 'a': looks at zone 'gate', which does not exist; add a [[zone]]");
  EXPECT_FAULT(zone + rule("gaet"),
               "r.toml:7: rule 'a': looks at zone 'gaet', which does not exist; did "
               "you mean 'gate'?");
  EXPECT_FAULT(zone + rule("yard"),
               "r.toml:7: rule 'a': looks at zone 'yard', which does not exist; known zones: gate");
}

TEST(RuleBook, ZonesHaveToBePolygonsInThePicture) {
  const auto zone = [](const std::string& corners) {
    return "[[zone]]\nname = \"gate\"\ncorners = " + corners + "\n";
  };
  EXPECT_FAULT("[[zone]]\ncorners = []\n", "r.toml:1: a zone: it has no name");
  EXPECT_FAULT("[[zone]]\nname = \"gate\"\n",
               "r.toml:1: zone 'gate': it has no corners; give it three or more");
  EXPECT_FAULT(zone("3"), "r.toml:3: zone 'gate': corners is a number; write a list of points");
  for (const char* wrong : {"[[0, 0], [1], [1, 1]]", "[[0, 0], [1, 1, 1], [1, 1]]",
                            "[[0, 0], 1, [1, 1]]", "[[0, 0], [1, \"0\"], [1, 1]]"}) {
    EXPECT_FAULT(zone(wrong),
                 "r.toml:3: zone 'gate': corners contains something that is not a point");
  }
  for (const char* wrong : {"[]", "[[0, 0], [1, 1]]", "[[0, 0], [1.1, 0], [1, 1]]",
                            "[[0, 0], [nan, 0], [1, 1]]", "[[0, 0], [0.5, 0.5], [1, 1]]"}) {
    EXPECT_FAULT(zone(wrong), "r.toml:3: ");
    EXPECT_NE(faultIn(zone(wrong)).find("gate"), std::string::npos) << wrong;
  }
  const std::string good = zone("[[0, 0], [1, 0], [1, 1]]");
  EXPECT_FAULT(good + good, "r.toml:5: zone 'gate': line 2 has that name already");
  const auto named = [](const std::string& name) {
    return "[[zone]]\nname = \"" + name + "\"\ncorners = [[0, 0], [1, 0], [1, 1]]\n";
  };
  EXPECT_FAULT(named("a b") + named("a.b"),
               "r.toml:5: zone 'a.b': it cannot be distinguished from 'a b' in line 2, since both "
               "are 'a_b'");
}

TEST(RuleBook, FilesAreReadOrTheReasonIsTold) {
  const Folder folder;
  const auto faultOf = [](const std::string& path) -> std::string {
    try {
      readRules(path);
    } catch (const std::runtime_error& fault) {
      return fault.what();
    }
    return "none";
  };
  const std::string path = folder.write("r.toml", metricRule("above = 1\n"));
  EXPECT_EQ(readRules(path).rules.at(0).name, "gate");
  EXPECT_EQ(faultOf(folder.write("empty.toml", "")), "none");
  EXPECT_EQ(faultOf(folder.write("r.toml", "\nx = 1\n")).substr(0, path.size() + 3), path + ":2:");
  const std::string missing = folder.at("missing.toml");
  EXPECT_EQ(faultOf(missing),
            "the rules file " + missing + " cannot be read: No such file or directory");
  EXPECT_NE(faultOf(folder.at("")).find("cannot be read"), std::string::npos);
  EXPECT_NE(faultOf("/dev/zero").find("larger than 4 MiB"), std::string::npos);
}

constexpr const char* kGround =
    "[ground]\n"
    "points = [[0.3, 0.9], [0.7, 0.9], [0.6, 0.5], [0.4, 0.5]]\n"
    "metres = [[0, 0], [4, 0], [4, 20], [0, 20]]\n";

TEST(RuleBook, HoldsTheGroundAndWhatElseIsAskedFor) {
  const RuleBook book =
      parseRules(std::string("greenness = true\nfollow_camera = true\n") + kGround +
                     "[[zone]]\nname = \"lawn\"\ncorners = [[0.4, 0.9], [0.6, 0.9], [0.5, "
                     "0.6]]\nground = true\n",
                 "r.toml");
  EXPECT_TRUE(book.greenness);
  EXPECT_TRUE(book.followCamera);
  ASSERT_TRUE(book.ground);
  EXPECT_EQ(book.ground->metres[2], cv::Point2d(4, 20));
  EXPECT_TRUE(book.zones.at(0).onGround);
}

TEST(RuleBook, RefusesAGroundThatIsNone) {
  const std::string zone =
      "[[zone]]\nname = \"lawn\"\ncorners = [[0.4, 0.9], [0.6, 0.9], [0.5, 0.6]]\nground = true\n";
  EXPECT_FAULT(zone,
               "r.toml:4: zone 'lawn': its square metres cannot be computed without four points");
  EXPECT_FAULT("ground = 3\n", "r.toml:1: ground is a number; [ground] begins it");
  EXPECT_FAULT("[ground]\npoints = [[0, 0]]\n",
               "r.toml:2: the ground: points has 1 points; it needs 4");
  EXPECT_FAULT("[ground]\npoints = [[0, 1], [1, 1], [0.6, 0.5], [0.4, 0.5]]\n",
               "r.toml:1: the ground: it has no metres; write where these four are in metres");
  EXPECT_FAULT(
      "[ground]\npoints = [[0, 1], [0.5, 1], [1, 1], [0.4, 0.5]]\n"
      "metres = [[0, 0], [4, 0], [4, 20], [0, 20]]\n",
      "r.toml:2: three of the ground's four points lie on a line in the picture");
  EXPECT_FAULT(
      std::string(kGround) +
          "[[zone]]\nname = \"sky\"\ncorners = [[0, 0], [1, 0], [0.5, 0.3]]\nground = true\n",
      "r.toml:6: zone 'sky' reaches the horizon");
  EXPECT_FAULT("greenness = 1\n", "r.toml:1: this file: greenness is a number; write true or");
}

void expectSame(const RuleBook& book) {
  const std::string toml = rulesToml(book);
  RuleBook read;
  ASSERT_NO_THROW(read = parseRules(toml, "written")) << toml;
  EXPECT_TRUE(read == book) << toml;
  EXPECT_EQ(rulesToml(read), toml);
}

Rule unsure(const std::string& name) {
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
  Rule all = unsure("all of it");
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
  all.notify = true;
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
    Rule rule = unsure("rule " + std::to_string(book.rules.size()));
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
    book.rules.push_back(unsure(name));
  }
  book.rules[0].command = {"sh", "-c", "echo \"two\nlines\"\t\x01\x7f \\\xc3\xbc", "$HOME",
                           "\"\"\""};
  expectSame(book);
}

TEST(RuleWriter, SaysOnlyWhatIsNotUsual) {
  RuleBook book;
  book.rules.push_back(unsure("unsure"));
  const std::string toml = rulesToml(book);
  for (const char* key : {"above", "hysteresis", "light", "stale", "dwell_s", "during", "snapshot",
                          "publish", "command"}) {
    EXPECT_EQ(toml.find(std::string("\n") + key), std::string::npos) << key;
  }
  EXPECT_NE(toml.find("\nbelow = 0.6\n"), std::string::npos);
}

}  // namespace
}  // namespace mpm::test
