// SPDX-License-Identifier: Apache-2.0
// What a rules file holds, what is refused of it, and that what is written reads back as the same.
#include <cstdio>
#include <random>

#include "cli/folder.h"
#include "in_project.h"
#include "monitor/rules/rules.h"
#include "monitor/says.h"

namespace mpm::test {
namespace {

using namespace monitor;

TEST(RuleBook, HoldsEverythingThatIsSaid) {
  const RuleBook book = parseRules(R"(
greenness = true
follow_camera = true
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
[ground]
points = [[0.3, 0.9], [0.7, 0.9], [0.6, 0.5], [0.4, 0.5]]
metres = [[0, 0], [4, 0], [4, 20], [0, 20]]
[[zone]]
name = "my gate"
corners = [[0, 0], [1, 0.0], [0.5, 1]]
[[zone]]
name = "lawn"
corners = [[0.4, 0.9], [0.6, 0.9], [0.5, 0.6]]
ground = true
)",
                                   "r.toml");
  Rule all, dark, lost;
  all.name = "Tor \"A\" – früh";
  all.metric = "zone.my_gate.area.car";
  all.above = 1;
  all.below = 0.25;
  all.hysteresis = 0.125;
  all.dwellMs = 1500;
  all.quietAfterLightMs = 60000;
  all.during = {LightState::day, LightState::noSignal};
  all.snapshot = all.clip = all.notify = true;
  all.publish = false;
  all.command = {"/bin/echo", "{rule}", ""};
  dark.name = "dark";
  dark.light = {LightState::infrared};
  lost.name = "lost";
  lost.stale = true;
  lost.dwellMs = 30000;
  const Ground ground{{{{0.3, 0.9}, {0.7, 0.9}, {0.6, 0.5}, {0.4, 0.5}}},
                      {{{0, 0}, {4, 0}, {4, 20}, {0, 20}}}};
  EXPECT_EQ(book, (RuleBook{{all, dark, lost},
                            {{"my gate", {{0, 0}, {1, 0}, {0.5, 1}}},
                             {"lawn", {{0.4, 0.9}, {0.6, 0.9}, {0.5, 0.6}}, true}},
                            ground,
                            true,
                            true}));
  for (const char* nothing : {"", "# nothing\n"})
    EXPECT_EQ(parseRules(nothing, "r.toml"), RuleBook()) << nothing;
}

// Each is refused: a file, with ";" for the end of a line, and what is said of which line. RULE is
// a rule 'a', GATE one about area.car, ZONE a zone 'gate' up to its corners, TRI three of these,
// and GROUND a sound one.
constexpr const char* kRefused = R"(
;;[[rule] => 3:
RULE name = "b" => 3:
[[rule]];name = "\xff" => 2:
;[[rules]];name = "a" => 2: this file: there is no key 'rules'; did you mean 'rule'?
quick = 1 => 1: this file: there is no key 'quick'; known keys: rule, zone, ground, greenness and
GATE abov = 1 => 4: rule 'gate': there is no key 'abov'; did you mean 'above'?
GATE above = 1;dwell = 1 => 5: rule 'gate': there is no key 'dwell'; did you mean 'dwell_s'?
[[rule]];nmae = "a" => 2: a rule: there is no key 'nmae'; did you mean 'name'?
[[zone]];name = "a";corner = [] => 3: zone 'a': there is no key 'corner'; did you mean 'corners'?
[rule];name = "a" => 1: rule is a table; [[rule]] begins each rule
rule = [1] => 1: rule contains a number; [[rule]] begins each rule
zone = "a" => 1: zone is a string; [[zone]] begins each zone
;[[rule]];stale = true => 2: a rule: it has no name
[[rule]];name = "" => 2: a rule: name is empty
[[rule]];name = "a\nb" => 2: a rule: name contains a control character
GATE above = 1;GATE above = 2 => 6: rule 'gate': line 2 has that name already; each needs its own
[[rule]];name = 1 => 2: a rule: name is a number; write a string
RULE metric = ["luma"] => 3: rule 'a': metric is a list; write a string
GATE above = "1" => 4: rule 'gate': above is a string; write a number
GATE below = nan => 4: rule 'gate': below is not finite
GATE hysteresis = true => 4: rule 'gate': hysteresis is true or false; write a number
GATE snapshot = 1 => 4: rule 'gate': snapshot is a number; write true or false
GATE publish = 07:32:00 => 4: rule 'gate': publish is a date or time; write true or false
GATE above = 1;dwell_s = "10 s" => 5: rule 'gate': dwell_s is a
GATE above = 1;dwell_s = [1] => 5: rule 'gate': dwell_s is a
GATE quiet_after_light_s = -1 =>
4: rule 'gate': quiet_after_light_s is out of range; write a number of seconds from 0 to 31622400
GATE quiet_after_light_s = -0.001 => 4: rule 'gate': quiet_after_light_s is out of range
GATE quiet_after_light_s = inf => 4: rule 'gate': quiet_after_light_s is out of range
GATE quiet_after_light_s = nan => 4: rule 'gate': quiet_after_light_s is out of range
GATE quiet_after_light_s = 31622401 => 4: rule 'gate': quiet_after_light_s is out of range
GATE quiet_after_light_s = 9223372036854775807 => 4: rule 'gate': quiet_after_light_s is out of
RULE => 2: rule 'a': looks at nothing; give it one of metric, light and stale = true
RULE stale = false => 2: rule 'a': looks at nothing
GATE above = 1;light = "day" => 5: rule 'gate': looks at metric and light at once; keep one of
RULE light = "day";stale = true;dwell_s = 1 => 4: rule 'a': looks at light and stale at once
GATE => 3: rule 'gate': has neither above nor below
GATE above = 1;below = 1 => 5: rule 'gate': below must be less than above
GATE above = 1;hysteresis = -0.5 => 5: rule 'gate': hysteresis is negative; make it 0 or more
GATE above = 1;below = 0;hysteresis = 0.5 => 6: rule 'gate': hysteresis is so large that the rule
RULE light = "day";above = 1 => 4: rule 'a': above belongs to a rule with a metric
RULE light = "day";below = 1 => 4: rule 'a': below belongs to a rule with a metric
RULE light = "day";hysteresis = 1 => 4: rule 'a': hysteresis belongs to a rule with a metric
RULE light = "day";quiet_after_light_s = 1 => 4: rule 'a': quiet_after_light_s belongs to a rule
RULE light = "day";during = "day" => 4: rule 'a': during belongs to a rule with a metric
RULE stale = true => 3: rule 'a': stale needs dwell_s
RULE light = ["day",;"evening"] =>
3: rule 'a': light contains 'evening', which is not a light state; the states are day, dusk, night, infrared, no_signal, transition and unknown
GATE above = 1;during = "Day" => 5: rule 'gate': during contains 'Day', which is not a light state
GATE above = 1;during = [] => 5: rule 'gate': during is an empty list
RULE light = 3 => 3: rule 'a': light is a number; write a string or a list of strings
GATE above = 1;command = "beep" => 5: rule 'gate': command is a string; write a list of strings
GATE above = 1;command = [] => 5: rule 'gate': command is an empty list
GATE above = 1;command = ["beep",;; 3] => 7: rule 'gate': command contains a number
GATE above = 1;command = [""] => 5: rule 'gate': command begins with an empty string
GATE above = 1;command = ["a", "\u0000"] => 5: rule 'gate': command contains a zero byte
GATE above = 1;command = ["{sourc}"] =>
5: rule 'gate': command contains {sourc}, which means nothing here; did you mean {source}?
RULE above = 1;metric = "zone.gate.area.car" =>
4: rule 'a': looks at zone 'gate', which does not exist; add a [[zone]]
ZONE TRI;RULE above = 1;metric = "zone.gaet.area.car" =>
7: rule 'a': looks at zone 'gaet', which does not exist; did you mean 'gate'?
ZONE TRI;RULE above = 1;metric = "zone.yard.area.car" =>
7: rule 'a': looks at zone 'yard', which does not exist; known zones: gate
[[zone]];corners = [] => 1: a zone: it has no name
[[zone]];name = "gate" => 1: zone 'gate': it has no corners; give it three or more
ZONE 3 => 3: zone 'gate': corners is a number; write a list of points
ZONE [[0, 0], [1], [1, 1]] => 3: zone 'gate': corners contains something that is not a point
ZONE [[0, 0], [1, 1, 1], [1, 1]] => 3: zone 'gate': corners contains something that is not a point
ZONE [[0, 0], 1, [1, 1]] => 3: zone 'gate': corners contains something that is not a point
ZONE [[0, 0], [1, "0"], [1, 1]] => 3: zone 'gate': corners contains something that is not a point
ZONE [] => 3: zone 'gate'
ZONE [[0, 0], [1, 1]] => 3: zone 'gate'
ZONE [[0, 0], [1.1, 0], [1, 1]] => 3: zone 'gate'
ZONE [[0, 0], [nan, 0], [1, 1]] => 3: zone 'gate'
ZONE [[0, 0], [0.5, 0.5], [1, 1]] => 3: zone 'gate'
ZONE TRI;ZONE TRI => 5: zone 'gate': line 2 has that name already
[[zone]];name = "a b";corners = TRI;[[zone]];name = "a.b";corners = TRI =>
5: zone 'a.b': it cannot be distinguished from 'a b' in line 2, since both are 'a_b'
ZONE TRI;ground = true => 4: zone 'gate': its square metres cannot be computed without four points
ground = 3 => 1: ground is a number; [ground] begins it
[ground];points = [[0, 0]] => 2: the ground: points has 1 points; it needs 4
[ground];points = [[0, 1], [1, 1], [0.6, 0.5], [0.4, 0.5]] => 1: the ground: it has no metres; write
[ground];points = [[0, 1], [0.5, 1], [1, 1], [0.4, 0.5]];metres = [[0, 0], [4, 0], [4, 20], [0, 20]] =>
2: three of the ground's four points lie on a line in the picture
GROUND ZONE [[0, 0], [1, 0], [0.5, 0.3]];ground = true => 6: zone 'gate' reaches the horizon
greenness = 1 => 1: this file: greenness is a number; write true or
)";

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + by.size()))
    text.replace(at, part.size(), by);
  return text;
}

TEST(RuleBook, WhatCannotBeIsRefusedWithItsLine) {
  std::istringstream lines(kRefused);
  int cases = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    ++cases;
    const std::size_t arrow = line.find(" =>");
    std::string toml = line.substr(0, arrow), wanted = "r.toml:";
    if (arrow + 3 == line.size())
      std::getline(lines, line), wanted += line;
    else
      wanted += line.substr(arrow + 4);
    for (const auto& [word, meant] : {std::pair{"\\xff", "\xff"},
                                      {"RULE ", "[[rule]];name = \"a\";"},
                                      {"RULE", "[[rule]];name = \"a\";"},
                                      {"GATE ", "[[rule]];name = \"gate\";metric = \"area.car\";"},
                                      {"GATE", "[[rule]];name = \"gate\";metric = \"area.car\";"},
                                      {"TRI", "[[0, 0], [1, 0], [0.5, 1]]"},
                                      {"ZONE ", "[[zone]];name = \"gate\";corners = "},
                                      {"GROUND ",
                                       "[ground];points = [[0.3, 0.9], [0.7, 0.9], [0.6, 0.5], "
                                       "[0.4, 0.5]];metres = [[0, 0], [4, 0], [4, 20], [0, 20]];"},
                                      {";", "\n"}})
      toml = replaced(toml, word, meant);
    const std::string said = refusal([&] { parseRules(toml, "r.toml"); });
    EXPECT_EQ(said.substr(0, wanted.size()), wanted) << toml << said;
  }
  EXPECT_EQ(cases, 79);
}

std::string gate(const std::string& lines) {
  return "[[rule]]\nname = \"gate\"\nmetric = \"area.car\"\n" + lines;
}

TEST(RuleBook, WhatIsAtTheBorderIsTaken) {
  EXPECT_EQ(parseRules(gate("above = 9223372036854775807\n"), "").rules[0].above, 0x1p63);
  EXPECT_NO_THROW(parseRules(gate("above = 1\nbelow = 0\nhysteresis = 0.49\n"), ""));
}

TEST(RuleBook, FilesAreReadOrTheReasonIsTold) {
  const Folder folder;
  const std::string path = folder.write("r.toml", gate("above = 1\n"));
  EXPECT_EQ(readRules(path).rules.at(0).name, "gate");
  EXPECT_EQ(readRules(folder.write("empty.toml", "")), RuleBook());
  folder.write("r.toml", "\nx = 1\n");
  const std::pair<std::string, std::string> cases[] = {
      {path, path + ":2:"},
      {folder.at("missing.toml"), "the rules file " + folder.at("missing.toml") +
                                      " cannot be read: No such file or directory"},
      {folder.at(""), "cannot be read"},
      {"/dev/zero", "larger than 4 MiB"}};
  for (const auto& [file, part] : cases)
    EXPECT_TRUE(has(refusal([&] { readRules(file); }), part)) << file;
}

// Bytes changed, left out, doubled, and pieces moved: what people and editors do to a file.
std::string spoiled(std::string text, std::mt19937& random) {
  const auto place = [&] { return random() % text.size(); };
  const std::string odd = "[]{}\"'#=.,-\n\\0exi_";
  for (std::size_t i = 0, changes = 1 + random() % 4; i < changes; ++i) {
    const auto what = random() % 4;
    if (what == 0) text[place()] = odd[random() % odd.size()];
    if (what == 1) text.erase(place(), 1 + random() % 40);
    if (what == 2) text.insert(place(), text.substr(place(), random() % 40));
    if (what == 3) text[place()] = static_cast<char>(random() % 256);
    if (text.empty()) text = "x";
  }
  return text;
}

const std::string kExample = inProject("monitor/rules/example.toml");

TEST(RuleBook, ASpoiledExampleIsReadOrRefusedWithALine) {
  const unsigned seed = 20240917;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const std::string good = bytesOf(kExample);
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string text = spoiled(good, random);
    const std::string said = refusal([&] { parseRules(text, "r.toml"); });
    if (said.empty()) continue;
    ++refused;
    int line = 0;
    ASSERT_EQ(std::sscanf(said.c_str(), "r.toml:%d: ", &line), 1) << said;
    EXPECT_GE(line, 1) << said;
    EXPECT_FALSE(has(said, "\n"));
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 1000);
}

Rule unsure(const std::string& name, double below = 0.6) {
  Rule rule;
  rule.name = name;
  rule.metric = "confidence";
  rule.below = below;
  return rule;
}

// One with every key, as the widest values write them.
RuleBook wholeBook() {
  RuleBook book;
  book.greenness = book.followCamera = true;
  book.ground = Ground{{{{0.3, 0.9}, {0.7, 0.9}, {0.6, 0.5}, {0.4, 0.5}}},
                       {{{0, 0}, {4, 0}, {4, 20.25}, {0, 20}}}};
  book.zones.push_back({"lawn", {{0.4, 0.9}, {0.6, 0.9}, {0.5, 0.6}}, true});
  book.zones.push_back({"gate", {{0.1, 0.2}, {0.30000000000000004, 1.0 / 3}, {1, 1}, {0, 0.95}}});
  Rule all = unsure("all of it", -2.5e-7), light, stale;
  all.metric = "zone.gate.area.car";
  all.above = 1e20;
  all.hysteresis = 0.125;
  all.dwellMs = 1;
  all.quietAfterLightMs = 366LL * 86400 * 1000;
  all.during = {kAllLightStates.begin(), kAllLightStates.end()};
  all.snapshot = all.clip = all.notify = true;
  all.publish = false;
  all.command = {"sh", "-c", "echo \"two\nlines\"\t\x01\x7f \\\xc3\xbc", "$HOME", "\"\"\"", ""};
  light.name = "dark";
  light.light = {LightState::night, LightState::noSignal};
  stale.name = "lost";
  stale.stale = true;
  stale.dwellMs = 1500;
  book.rules = {all, light, stale};
  for (const char* name : {"quote \" and \\ backslash", "\\\xc3\xa9 behind it", "# no comment",
                           "'single'", "[[rule]]", "Stra\xc3\x9f", " spaces ", "a = 1"})
    book.rules.push_back(unsure(name));
  // Seen by the fuzzer: 16666666666666670080 was written, which no reader of TOML takes.
  for (const double number : {1.66666666666666670e19, -1.66666666666666670e19, 0x1p63, -0x1p63,
                              0x1p62, 9007199254740993.0, 1e21, 1e300, 5e-324, 0.1, 3.0})
    book.rules.push_back(unsure("rule " + std::to_string(book.rules.size()), number));
  return book;
}

TEST(RuleWriter, WhatIsWrittenReadsBackAsTheSame) {
  for (const RuleBook& book : {RuleBook(), readRules(kExample), wholeBook()}) {
    const std::string toml = rulesToml(book);
    RuleBook read;
    ASSERT_NO_THROW(read = parseRules(toml, "written")) << toml;
    EXPECT_TRUE(read == book) << toml;
    EXPECT_EQ(rulesToml(read), toml);
  }
}

TEST(RuleWriter, SaysOnlyWhatIsNotUsual) {
  RuleBook book;
  book.rules.push_back(unsure("unsure"));
  const std::string toml = rulesToml(book);
  for (const char* key : {"above", "hysteresis", "light", "stale", "dwell_s", "during", "snapshot",
                          "publish", "command"})
    EXPECT_FALSE(has(toml, std::string("\n") + key));
  EXPECT_TRUE(has(toml, "\nbelow = 0.6\n"));
}

}  // namespace
}  // namespace mpm::test
