// SPDX-License-Identifier: Apache-2.0
// What begins and ends rules, what is said of it, and which rules cannot be.
#include "monitor/rules/rules.h"

#include "comma_locale.h"
#include "in_project.h"
#include "monitor/clock/manual_clock.h"
#include "monitor/rules/made_rules.h"
#include "monitor/says.h"

namespace mpm::test {
namespace {

using namespace monitor;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kHourMs = 3600000;

Rule made(const std::function<void(Rule&)>& change = {}) {
  Rule rule = metricRule("cars", "area.car", 0.5);
  if (change) change(rule);
  return rule;
}
Rule slowly(std::int64_t dwellMs, const std::string& name = "cars") {
  return metricRule(name, "area.car", 0.5, dwellMs);
}

// One source's rules, fed by hand. What is told of them is "+" for each that began, "-" for each
// that ended, in order.
class Fed {
 public:
  explicit Fed(std::vector<Rule> all)
      : rules(std::move(all), Metrics({"luma", "area.car", "reconnects"})) {}

  void goTo(std::int64_t ms) { clock.advance(ms - clock.now().steadyMs); }
  std::string at(std::int64_t ms, double value, LightState light = LightState::day,
                 double reconnects = 0) {
    goTo(ms);
    return tell(rules.update({clock.now(), light, {0.5, value, reconnects}}));
  }
  std::string silentAt(std::int64_t ms, std::int64_t silentMs) {
    goTo(ms);
    return tell(rules.silence(clock.now(), silentMs));
  }
  std::string tell(const std::vector<Firing>& fired) {
    std::string text;
    for (const Firing& firing : fired) text += firing.began ? "+" : "-";
    if (!fired.empty()) last = fired.back();
    return text;
  }

  // Steps such as "100:0.6n!=+": at 100 ms a value, or "?"; a light other than day (u dusk,
  // n night, i infrared, x no signal, t transition); "!" where the source was away before; and what
  // is to be told. "5000~4999" is a silence of so long, "miss" a frame that could not be measured,
  // "set-3600000" another wall clock.
  void expect(const std::string& steps) {
    std::istringstream words(steps);
    for (std::string word; words >> word;) {
      SCOPED_TRACE(word);
      const std::size_t equals = word.find('='), sign = word.find_first_of(":~");
      const std::string wanted = equals == word.npos ? "" : word.substr(equals + 1);
      if (word == "miss") {
        rules.miss();
        continue;
      }
      if (word.starts_with("set")) {
        clock.setUtc(clock.now().utcMs + std::stoll(word.substr(3)));
        continue;
      }
      const std::int64_t ms = std::stoll(word);
      const std::string value = word.substr(sign + 1, equals - sign - 1);
      if (word[sign] == '~') {
        EXPECT_EQ(silentAt(ms, std::stoll(value)), wanted);
        continue;
      }
      const std::size_t letter = value.find_first_of("dunixt");
      const std::size_t light =
          letter == value.npos ? 0 : std::string("dunixt").find(value[letter]);
      EXPECT_EQ(at(ms, value[0] == '?' ? kUnknown : std::stod(value), kAllLightStates[light],
                   value.ends_with('!') ? 1 : 0),
                wanted);
    }
  }

  ManualClock clock{1700000000000};
  Rules rules;
  Firing last;
};

const std::map<std::string, Rule> kRules{
    {"plain", made()},
    {"slow", slowly(1000)},
    {"minute", slowly(60000)},
    {"quiet", made([](Rule& r) { r.quietAfterLightMs = 1000; })},
    {"back", made([](Rule& r) { r.hysteresis = 0.25, r.dwellMs = 100; })},
    {"below", made([](Rule& r) { r.above.reset(), r.below = 0.25, r.hysteresis = 0.125; })},
    {"both", made([](Rule& r) { r.name = "both", r.below = 0.25, r.hysteresis = 0.0625; })},
    {"slow+quiet", made([](Rule& r) { r.quietAfterLightMs = 1000, r.dwellMs = 600; })},
    {"set", made([](Rule& r) { r.dwellMs = 1000, r.quietAfterLightMs = 500; })},
    {"light", made([](Rule& r) {
       r.during = {LightState::day, LightState::dusk}, r.dwellMs = 100;
     })},
    {"day+quiet", made([](Rule& r) { r.during = {LightState::day}, r.quietAfterLightMs = 1000; })},
    {"day", lightRule({LightState::day})},
    {"day1", lightRule({LightState::day}, 1000)},
    {"dusk1", lightRule({LightState::dusk}, 1000)},
    {"dark", lightRule({LightState::night, LightState::infrared}, 1000)},
    {"none", lightRule({LightState::noSignal})},
    {"lost", staleRule(5000)},
    {"lost2", staleRule(2000)}};

// A line of words for each: what it shows, the rules in [], and steps as Fed has them; below it
// what the last one that began or ended says.
constexpr const char* kSteps = R"(
a value, once [plain] 0:0.5 100:0.51=+
  Rule 'cars' began: area.car is 0.51, above 0.5.
and ends [plain] 0:0.5 100:0.51=+ 200:0.9 2700:0.5=-
  Rule 'cars' ended after 2.6 s: area.car is 0.5, back to 0.5 or less.
and begins again [plain] 0:0.6=+ 100:0.5=- 200:0.6=+
dwell is met exactly at its border [slow] 50:0.6 1049:0.6 1050:0.6=+
  Rule 'cars' began: area.car has been above 0.5 for 1 s, and is 0.6 now.
what does not hold throughout starts anew [slow] 2000:0.6 2999:0.4 3000:0.6 3999:0.6 4000:0.6=+
hysteresis does not help a value before it began
  [back] 0:0.6 50:0.4 100:0.6 150:0.6 200:0.6=+ 300:0.26 400:0.25=- 500:0.26 600:0.5
from below to above the range is still left [below both] 0:0.25 1:0.2=++ 2:0.3 3:0.6=- 4:0.44 5:0.4375=-
what is not known neither begins nor ends [plain] 0:? 1:0.6=+ 2:? 3:0.6 4:0.1=-
the first frame's light is no change, and the last change counts
  [quiet] 0:0.6=+ 100:0.1u 500:0.1n 1499:0.1n 1500:0.1n=- 2000:0.6 2999:0.6 3000:0.6=+
in quiet time dwell goes on [slow+quiet] 0:0.1 100:0.6u 1099:0.6u 1100:0.6u=+
  Rule 'cars' began: area.car has been above 0.5 for 1 s, and is 0.6 now.
dwell begins with the state that it holds during
  [light] 0:0.6n 1000:0.6n 1010:0.6u 1110:0.6=+ 3110:0.6n=-
  Rule 'cars' ended after 2 s: the light is night, and it holds only during day or dusk.
a state that is left for a quiet time ends nothing, one that is left for good does
  [day+quiet] 0:0.6=+ 100:0.6t 600:0.6 2000:0.6 3000:?n 4000:?n=-
one of two lights [dark] 0:? 100:?n 1099:?i 1100:?i=+
  Rule 'dark' began: the light has been night or infrared for 1 s, and is infrared now.
and another [dark] 100:?n 1100:?i=+ 2000:0n 3000:0t=-
  Rule 'dark' ended after 1.9 s: the light is transition.
it may begin so [none] 0:0x=+
silence [plain lost] 0:0.1 5000~4999 5000~5000=+ 6000~6000
  Rule 'lost' began: no frame has come for 5 s.
frames come again [lost] 0:0.1 5000~5000=+ 65000~65000 66000:0.1=- 67000:0.1
  Rule 'lost' ended after 1 min 1 s: frames come again, after 1 min 6 s without.
a frame came that is not through yet [lost] 0:0.1 5000~5000=+ 6000~200=- 6100:0.1
silence leaves other rules alone [plain day] 0:0.6=++ 3600000~3600000
time in which nothing was known does not count [slow] 0:0.6 400:? 3000:? 5000:0.6 5599:0.6 5600:0.6=+
nor while the camera was gone [slow day1] 0:0.6 400:0.6 3600000:0.6! 3600599:0.6 3600600:0.6=++
nor where the rule holds [plain] 0:0.6=+ 400:0.6 604800000:0.6! 604800600:0.1=-
  Rule 'cars' ended after 1 s: area.car is 0.1, back to 0.5 or less.
nor where nothing was known of it [plain] 0:0.6=+ 400:? 604800000:0.6 604800600:0.1=-
  Rule 'cars' ended after 1 s: area.car is 0.1, back to 0.5 or less.
nor in which frames were missed [slow day1] 0:0.6 400:0.6 miss 1400:0.6 1999:0.6 2000:0.6=++
frames that are usually half a minute apart count [minute] 0:0.6 30000:0.6 60000:0.6=+
a set wall clock changes nothing
  [set dusk1 lost2] 0:0.6 set3600000 999:0.6 1000:0.6=+ 1100:0.1u set-3600000 1599:0.1u 1600:0.1u=- 2099:0.1u 2100:0.1u=+ set3600000 4099~1999 4100~2000=+
nor does one that is set back
  [slow lost2] 0:0.6 set-3600000 999:0.6 1000:0.6=+ 2999~1999 3000~2000=+
)";

TEST(Rules, BeginAndEnd) {
  std::istringstream lines(kSteps);
  std::optional<Fed> fed;
  std::string what;
  int cases = 0;
  for (std::string line; std::getline(lines, line);) {
    SCOPED_TRACE(what + line);
    const std::size_t open = line.find('['), close = line.find(']');
    if (open != line.npos) {
      std::vector<Rule> rules;
      std::istringstream names(line.substr(open + 1, close - open - 1));
      for (std::string name; names >> name;) rules.push_back(kRules.at(name));
      fed.emplace(rules);
      fed->expect(line.substr(close + 1));
      ++cases;
    } else if (line.starts_with("  ")) {
      EXPECT_EQ("  " + fed->last.text, line);
    }
    what = line;
  }
  EXPECT_EQ(cases, 27);
}

TEST(Rules, AFiringHasItsRuleTimeAndValue) {
  Fed fed({lightRule({LightState::night}), made()});
  fed.expect("0:0.1 100:0.51=+");
  EXPECT_EQ(fed.rules.holding(), (std::vector{false, true}));
  EXPECT_EQ(fed.last.rule, 1U);
  EXPECT_TRUE(fed.last.began);
  EXPECT_EQ(fed.last.at.steadyMs, 100);
  EXPECT_EQ(fed.last.at.utcMs, 1700000000100);
  EXPECT_EQ(fed.last.value, 0.51);
  fed.expect("200:?n=+");
  EXPECT_FALSE(fed.last.value);
}

// Where the engine takes frames seldom, or its net is busy, the last one waits for it.
TEST(Rules, AFrameFromBeforeTheSilenceDoesNotEndIt) {
  Fed fed({staleRule(5000)});
  fed.expect("0:0.1 5900~5000=+");
  const Moment last{900, 1700000000900, 0, true};
  EXPECT_EQ(fed.tell(fed.rules.update({last, LightState::day, {0.5, 0.1, 0}})), "");
  fed.expect("10100~9200 11000:0.1=-");
  EXPECT_EQ(fed.last.text, "Rule 'lost' ended after 5.1 s: frames come again, after 10 s without.");
}

// A machine that slept: its camera may go on as if nothing had been.
TEST(Rules, TimeBetweenFramesThatAreFarApartDoesNotCountUnlessTheyUsuallyAre) {
  const Rule rule = slowly(60000);
  Fed fed({rule});
  for (int frame = 0; frame <= 100; ++frame) EXPECT_EQ(fed.at(100 * frame, 0.6), "");
  EXPECT_EQ(fed.at(kHourMs, 0.6), "") << "10 s have been seen";
  for (int frame = 1; frame < 500; ++frame) ASSERT_EQ(fed.at(kHourMs + 100 * frame, 0.6), "");
  EXPECT_EQ(fed.at(kHourMs + 50000, 0.6), "+");

  Fed slower({rule});  // the net has less time from now on
  for (int frame = 0; frame <= 100; ++frame) EXPECT_EQ(slower.at(100 * frame, 0.6), "");
  std::string began;
  for (int frame = 1; frame <= 20; ++frame) began += slower.at(10000 + 10000 * frame, 0.6);
  EXPECT_EQ(began, "+");
}

TEST(Rules, AFileThatBeginsAgainGoesOn) {
  Rules rules({slowly(1000)}, Metrics({"area.car"}));
  std::string told;
  for (const std::int64_t ms : {90000, 90600, 0, 399, 400})
    told += std::to_string(rules.update({{ms, ms, 0, true}, LightState::day, {0.6}}).size());
  EXPECT_EQ(told, "00001");
}

TEST(Rules, OtherOnesReplaceThemAndThoseThatStayGoOn) {
  const Rule other = slowly(0, "other");
  const Rule changed = made([](Rule& r) { r.name = "other", r.above = 0.55; });
  const Rule slow = slowly(1000, "slow");
  Fed fed({made(), other, slow});
  fed.expect("0:0.6=++");
  EXPECT_THROW(fed.rules.replace({made([](Rule& r) { r.metric = "area.cow"; })}, fed.clock.now()),
               std::runtime_error);
  EXPECT_EQ(fed.rules.holding(), (std::vector{true, true, false})) << "nothing has changed";
  const Rules::Replaced replaced = fed.rules.replace({slow, changed, made()}, fed.clock.now());
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
  const Rule slow = slowly(5000, "slow");
  for (const bool isAway : {false, true}) {  // still, at the end
    Fed fed({slow, made(), staleRule(1000)});
    fed.expect(isAway ? "0:0.6=+ 500:0.6 1500~1000=+" : "0:0.6=+ 1500~1500=+");
    fed.clock.advance(60000);
    const std::vector<Firing> ended = fed.rules.end(fed.clock.now());
    ASSERT_EQ(ended.size(), 2U);
    EXPECT_EQ(ended[0].rule, 1U);
    EXPECT_FALSE(ended[0].began);
    EXPECT_EQ(ended[0].at.steadyMs, 61500);
    EXPECT_EQ(ended[0].text, std::string("Rule 'cars' ended after ") +
                                 (isAway ? "0.5 s" : "1 min 1 s") +
                                 ": the source is no longer watched.");
    EXPECT_EQ(ended[1].text, "Rule 'lost' ended after 1 min: the source is no longer watched.");
    EXPECT_EQ(fed.rules.holding(), (std::vector{false, false, false}));
    EXPECT_TRUE(fed.rules.end(fed.clock.now()).empty());
  }
}

TEST(FiringText, AValueShowsOnWhichSideItLies) {
  const double infinite = std::numeric_limits<double>::infinity();
  const CommaLocale locale;  // numbers do not follow it, where there is one
  for (const auto& [value, level, text] : {std::tuple(0.3, 0.25, "0.3"),
                                           {1.0 / 3, 0.25, "0.3333"},
                                           {0.2500001, 0.25, "0.2500001"},
                                           {0.2499999, 0.25, "0.2499999"},
                                           {0.25, 0.25, "0.25"},
                                           {1234567.0, 500.0, "1234567"},
                                           {12345.678, 500.0, "12346"},
                                           {-0.5, 0.0, "-0.5"},
                                           {infinite, 1.0, "inf"}})
    EXPECT_EQ(valueText(value, level), text);
}

TEST(FiringText, IsASentence) {
  const auto day = LightState::day;
  const Rule car = made([](Rule& r) { r.above = 0.25, r.hysteresis = 0.03; });
  const Rule range = made([](Rule& r) { r.above = 0.25, r.below = 0.05, r.hysteresis = 0.03; });
  const Rule below = made([](Rule& r) { r.above.reset(), r.below = 0.05, r.hysteresis = 0.03; });
  const std::pair<std::string, const char*> cases[] = {
      {beganText(car, {0.31, day, 0, 0}), "Rule 'cars' began: area.car is 0.31, above 0.25."},
      {endedText(car, {0.2, day, 125000, 0}),
       "Rule 'cars' ended after 2 min 5 s: area.car is 0.2, back to 0.22 or less."},
      {beganText(range, {0.31, day, 0, 0}),
       "Rule 'cars' began: area.car is 0.31, outside of 0.05 to 0.25."},
      {beganText(range, {0.04999999, day, 0, 0}),
       "Rule 'cars' began: area.car is 0.04999999, outside of 0.05 to 0.25."},
      {endedText(range, {0.1, day, 1000, 0}),
       "Rule 'cars' ended after 1 s: area.car is 0.1, back to between 0.08 and 0.22."},
      {beganText(below, {0.01, day, 0, 0}), "Rule 'cars' began: area.car is 0.01, below 0.05."},
      {endedText(below, {0.1, day, 1000, 0}),
       "Rule 'cars' ended after 1 s: area.car is 0.1, back to 0.08 or more."},
      {beganText(lightRule({LightState::night}), {0, LightState::night, 0, 0}),
       "Rule 'dark' began: the light is night."},
      {beganText(lightRule({LightState::night}, 60000), {0, LightState::night, 60000, 0}),
       "Rule 'dark' began: the light has been night for 1 min."}};
  for (const auto& [said, text] : cases) EXPECT_EQ(said, text);
}

TEST(RuleCheck, WhatCannotBeIsToldWithWhatIsLikeIt) {
  const Metrics street(
      {"luma", "confidence", "area.car", "area.cart", "area.person", "zone.gate.area.car"});
  std::vector<std::string> rows;
  for (int i = 0; i < 20; ++i) rows.push_back("rows." + std::to_string(i));
  const auto looks = [](const char* metric) { return metricRule("cars", metric, 0.5); };
  const auto luma = [&](const std::function<void(Rule&)>& change) {
    Rule rule = looks("luma");
    change(rule);
    return rule;
  };
  struct {
    std::vector<Rule> rules;
    Metrics metrics;
    const char* fault;
  } const cases[] = {
      {{looks("luma"), lightRule({LightState::day}), staleRule(1)}, street, ""},
      {{}, Metrics(), ""},
      {{looks("area.cra")},
       street,
       "metric 'area.cra', which does not exist; similar: area.car and"},
      {{looks("car")}, street, "similar: area.car, area.cart and zone.gate.area.car"},
      {{looks("warmth")}, Metrics({"luma", "drops"}), "known metrics: luma and drops"},
      {{looks("luma")}, Metrics(), "'luma', which does not exist; there are no metrics"},
      {{looks("warmth")}, Metrics(rows), "known metrics: rows.0, rows.1, rows.2, rows.3, rows.4, "},
      {{looks("warmth")}, Metrics(rows), ", rows.5, rows.6, rows.7 and 12 more"},
      {{luma([](Rule& r) { r.name = ""; })}, street, "a rule has no name; add name = \"...\""},
      {{looks("luma"), looks("luma")}, street, "two rules are called 'cars'; each needs its own"},
      {{luma([](Rule& r) { r.dwellMs = -1; })}, street, "rule 'cars': dwell_s is negative"},
      {{luma([](Rule& r) { r.quietAfterLightMs = -1; })},
       street,
       "quiet_after_light_s is negative"},
      {{luma([](Rule& r) { r.above = kUnknown; })}, street, "rule 'cars': above is not finite"},
      {{luma([](Rule& r) { r.hysteresis = std::numeric_limits<double>::infinity(); })},
       street,
       "rule 'cars': hysteresis is negative; make it 0 or more"}};
  for (const auto& one : cases) {
    const std::string said = refusal([&] { checkRules({one.rules, {}}, one.metrics); });
    EXPECT_TRUE(has(said, one.fault));
    EXPECT_EQ(said.empty(), one.fault[0] == '\0') << said;
  }
  EXPECT_THROW(Rules({looks("nothing")}, street), std::runtime_error);
  EXPECT_THROW(Rules({made()}, Metrics({"area.car"})).update({{}, LightState::day, {}}),
               std::invalid_argument);
}

using Unusual = std::map<std::string, double>;

// The example's rules, and a quiet day.
class Example : public testing::Test {
 protected:
  // Frames once a second, for so long; what began and ended, as "+name" and "-name", once each.
  std::set<std::string> watch(int seconds, LightState light = LightState::day,
                              const Unusual& unusual = {}) {
    std::vector<double> values = kUsual;
    for (const auto& [name, value] : unusual) values.at(metrics_.find(name).value()) = value;
    return told(seconds, [&](int) { return rules_.update({clock_.now(), light, values}); });
  }
  std::set<std::string> silence(int seconds) {
    return told(seconds, [&](int passed) { return rules_.silence(clock_.now(), passed * 1000); });
  }

  RuleBook book_ = readRules(inProject("monitor/rules/example.toml"));

 private:
  std::set<std::string> told(int seconds, const std::function<std::vector<Firing>(int)>& step) {
    std::set<std::string> told;
    for (int i = 1; i <= seconds; ++i) {
      clock_.advance(1000);
      for (const Firing& firing : step(i))
        told.insert((firing.began ? "+" : "-") + book_.rules[firing.rule].name);
    }
    return told;
  }

  const std::vector<double> kUsual{0.5, 0.9, 0.5, 120, 0, 0.1, 0.01, 0.05};
  Metrics metrics_{{"merged_share", "confidence", "luma", "ms.network", "reconnects", "area.car",
                    "area.person", "zone.gate.area.car"}};
  Rules rules_{book_.rules, metrics_};
  ManualClock clock_;
};

using Told = std::set<std::string>;

TEST_F(Example, EachRuleBeginsAndEndsOnWhatItIsForAndNotBefore) {
  constexpr auto day = LightState::day;
  EXPECT_EQ(watch(3600), Told()) << "a usual day";
  const struct {
    const char* name;
    int seconds;
    LightState light;
    Unusual unusual;
  } cases[] = {{"gate blocked", 31, day, {{"zone.gate.area.car", 0.3}}},
               {"busy street", 6, day, {{"area.person", 0.04}}},
               {"unsure", 601, day, {{"confidence", 0.5}}},
               {"exposure", 11, day, {{"luma", 0.01}}},
               {"exposure", 11, day, {{"luma", 0.99}}},
               {"little merges", 61, day, {{"merged_share", 0.1}}},
               {"slow", 61, day, {{"ms.network", 700}}},
               {"night", 121, LightState::night, {}},
               {"night", 121, LightState::infrared, {}},
               {"nothing to see", 6, LightState::noSignal, {}}};
  Told all{"camera lost"};
  for (const auto& [name, seconds, light, unusual] : cases) {
    SCOPED_TRACE(name);
    EXPECT_EQ(watch(seconds - 1, light, unusual), Told()) << "that is too short";
    EXPECT_EQ(watch(120), Told());
    EXPECT_EQ(watch(seconds, light, unusual), Told{std::string("+") + name});
    EXPECT_EQ(watch(120), Told{std::string("-") + name});
    all.insert(name);
  }
  EXPECT_EQ(silence(59), Told());
  EXPECT_EQ(watch(60), Told());
  EXPECT_EQ(silence(60), Told{"+camera lost"});
  EXPECT_EQ(watch(1), Told{"-camera lost"});
  Told known;
  for (const Rule& rule : book_.rules) known.insert(rule.name);
  EXPECT_EQ(all, known) << "each rule of the example is shown here";
}

}  // namespace
}  // namespace mpm::test
