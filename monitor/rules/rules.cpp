// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "files/text.h"
#include "monitor/rules/commands.h"
#include "monitor/rules/words.h"

namespace mpm::monitor {
namespace {

constexpr std::size_t kMostSuggested = 3, kMostListed = 8;

std::string named(const Rule& rule) { return "rule '" + rule.name + "'"; }

std::optional<RuleFault> lookFault(const Rule& rule) {
  const std::string one = "one of metric, light and stale = true";
  std::vector<std::string> looked;
  if (!rule.metric.empty()) looked.emplace_back("metric");
  if (!rule.light.empty()) looked.emplace_back("light");
  if (rule.stale) looked.emplace_back("stale");
  if (looked.empty()) return RuleFault{"name", "looks at nothing; give it " + one};
  if (looked.size() > 1) {
    return RuleFault{looked.back(), "looks at " + files::listed(looked) + " at once; keep " + one};
  }
  return std::nullopt;
}

std::optional<RuleFault> levelFault(const Rule& rule) {
  if (!rule.above && !rule.below) {
    return RuleFault{"metric", "has neither above nor below; give it one of them, or both"};
  }
  for (const auto& [key, level] :
       {std::pair("above", rule.above), std::pair("below", rule.below)}) {
    if (level && !std::isfinite(*level)) return RuleFault{key, std::string(key) + " is not finite"};
  }
  if (rule.above && rule.below && !(*rule.below < *rule.above)) {
    return RuleFault{"below",
                     "below must be less than above: together they mean outside of that range"};
  }
  if (!(rule.hysteresis >= 0) || !std::isfinite(rule.hysteresis)) {
    return RuleFault{"hysteresis", "hysteresis is negative; make it 0 or more"};
  }
  if (rule.above && rule.below && 2 * rule.hysteresis >= *rule.above - *rule.below) {
    return RuleFault{"hysteresis",
                     "hysteresis is so large that the rule could never end; make it less than half "
                     "of the way from below to above"};
  }
  return std::nullopt;
}

// Finds a key that only a metric's rule may have.
std::optional<RuleFault> foreignFault(const Rule& rule) {
  const char* key = nullptr;
  if (rule.above) key = "above";
  if (rule.below) key = "below";
  if (rule.hysteresis != 0) key = "hysteresis";
  if (rule.quietAfterLightMs != 0) key = "quiet_after_light_s";
  if (!rule.during.empty()) key = "during";
  if (key != nullptr) return RuleFault{key, std::string(key) + " belongs to a rule with a metric"};
  if (rule.stale && rule.dwellMs == 0) {
    return RuleFault{"stale", "stale needs dwell_s: after how many seconds without a frame"};
  }
  return std::nullopt;
}

std::optional<RuleFault> commandFault(const std::vector<std::string>& command) {
  if (command.empty()) return std::nullopt;
  if (command[0].empty()) {
    return RuleFault{"command", "command begins with an empty string; begin it with a program"};
  }
  for (const std::string& word : command) {
    if (word.find('\0') != std::string::npos) {
      return RuleFault{"command", "command contains a zero byte, which no argument may contain"};
    }
    if (const auto wrong = misspelled(word)) {
      return RuleFault{"command", "command contains {" + wrong->first +
                                      "}, which means nothing here; did you mean {" +
                                      wrong->second + "}?"};
    }
  }
  return std::nullopt;
}

// Suggests names like `wrong`, or lists what exists.
std::string likeIt(const std::string& wrong, std::vector<std::string> names) {
  const std::vector<std::string> meant = likeThese(wrong, names, kMostSuggested);
  if (!meant.empty()) return "similar: " + files::listed(meant);
  if (names.empty()) return "there are no metrics";
  if (names.size() > kMostListed) {
    const std::size_t more = names.size() - kMostListed;
    names.resize(kMostListed);
    names.push_back(std::to_string(more) + " more");
  }
  return "known metrics: " + files::listed(names);
}

// Digits of a level minus a hysteresis: 0.25 - 0.03 reads 0.22.
constexpr int kLevelDigits = 10, kMostDigits = 17;

// Avoids an exponent where that is as readable: 12345, not 1.235e+04.
std::string withDigits(double value, int digits) {
  const double size = std::fabs(value);
  if (size >= 1 && size < 1e15) {
    digits = std::max(digits, static_cast<int>(std::floor(std::log10(size))) + 1);
  }
  // printf does not do: its point depends on the locale.
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::general, digits);
  return {text.data(), end.ptr};
}

int side(double value, double level) { return (value > level) - (value < level); }

std::string states(const std::vector<LightState>& states) {
  std::vector<std::string> words;
  for (const LightState state : states) words.emplace_back(nameOf(state));
  return files::listed(words, "or");
}

std::string levels(const Rule& rule) {
  if (!rule.below) return "above " + files::numberText(*rule.above);
  if (!rule.above) return "below " + files::numberText(*rule.below);
  return "outside of " + files::numberText(*rule.below) + " to " + files::numberText(*rule.above);
}

std::string metricBegan(const Rule& rule, const RuleSight& sight) {
  const bool isAbove = rule.above && (!rule.below || sight.value > *rule.above);
  const std::string value = valueText(sight.value, isAbove ? *rule.above : *rule.below);
  if (rule.dwellMs == 0) return rule.metric + " is " + value + ", " + levels(rule) + ".";
  return rule.metric + " has been " + levels(rule) + " for " + durationText(sight.heldMs) +
         ", and is " + value + " now.";
}

std::string endedAfter(const Rule& rule, std::int64_t heldMs) {
  return "Rule '" + rule.name + "' ended after " + durationText(heldMs) + ": ";
}

std::string metricEnded(const Rule& rule, const RuleSight& sight) {
  const double lower = rule.below ? *rule.below + rule.hysteresis : -HUGE_VAL;
  const double upper = rule.above ? *rule.above - rule.hysteresis : HUGE_VAL;
  const bool isUpper = upper - sight.value < sight.value - lower;
  const std::string value = valueText(sight.value, isUpper ? upper : lower);
  const std::string lowerText = withDigits(lower, kLevelDigits);
  const std::string upperText = withDigits(upper, kLevelDigits);
  std::string back = "to between " + lowerText + " and " + upperText;
  if (!rule.below) back = "to " + upperText + " or less";
  if (!rule.above) back = "to " + lowerText + " or more";
  return rule.metric + " is " + value + ", back " + back + ".";
}

enum class Verdict { holds, holdsNot, unknown };

bool isOneOf(const std::vector<LightState>& states, LightState state) {
  return std::find(states.begin(), states.end(), state) != states.end();
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Judges a rule. One that holds continues until the value has come back by the hysteresis.
Verdict judge(const Rule& rule, std::optional<std::size_t> metric, bool holding,
              const Figures& figures) {
  if (!rule.light.empty()) {
    return isOneOf(rule.light, figures.light) ? Verdict::holds : Verdict::holdsNot;
  }
  if (!rule.during.empty() && !isOneOf(rule.during, figures.light)) return Verdict::holdsNot;
  const double value = figures.values[*metric];
  if (std::isnan(value)) return Verdict::unknown;
  const double back = holding ? rule.hysteresis : 0;
  const bool outside =
      (rule.above && value > *rule.above - back) || (rule.below && value < *rule.below + back);
  return outside ? Verdict::holds : Verdict::holdsNot;
}

std::optional<double> ifKnown(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

}  // namespace

std::optional<RuleFault> faultOf(const Rule& rule) {
  if (rule.name.empty()) return RuleFault{"name", "has no name; add name = \"...\""};
  if (auto fault = lookFault(rule)) return fault;
  if (auto fault = rule.metric.empty() ? foreignFault(rule) : levelFault(rule)) return fault;
  if (rule.dwellMs < 0) return RuleFault{"dwell_s", "dwell_s is negative; make it 0 or more"};
  if (rule.quietAfterLightMs < 0) {
    return RuleFault{"quiet_after_light_s", "quiet_after_light_s is negative; make it 0 or more"};
  }
  return commandFault(rule.command);
}

std::optional<RuleFault> zoneFaultOf(const Rule& rule, const std::vector<Zone>& zones) {
  const std::string part = MetricName::parse(rule.metric).zone;
  if (part.empty()) return std::nullopt;
  std::vector<std::string> parts;
  for (const Zone& zone : zones) {
    parts.push_back(metricPart(zone.name));
    if (parts.back() == part) return std::nullopt;
  }
  const std::string sentence = "looks at zone '" + part + "', which does not exist; ";
  if (parts.empty()) return RuleFault{"metric", sentence + "add a [[zone]] with this name"};
  const std::vector<std::string> meant = likeThese(part, parts, 1);
  return RuleFault{"metric", sentence + (meant.empty() ? "known zones: " + files::listed(parts)
                                                       : "did you mean '" + meant[0] + "'?")};
}

std::optional<RuleFault> metricFaultOf(const Rule& rule, const Metrics& metrics) {
  if (rule.metric.empty() || metrics.find(rule.metric)) return std::nullopt;
  return RuleFault{"metric", "looks at metric '" + rule.metric + "', which does not exist; " +
                                 likeIt(rule.metric, metrics.names())};
}

void checkRules(const RuleBook& book, const Metrics& metrics) {
  for (std::size_t i = 0; i < book.rules.size(); ++i) {
    const Rule& rule = book.rules[i];
    if (const auto fault = faultOf(rule)) {
      throw std::runtime_error(rule.name.empty() ? "a rule " + fault->sentence
                                                 : named(rule) + ": " + fault->sentence);
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (book.rules[j].name == rule.name) {
        throw std::runtime_error("two rules are called '" + rule.name +
                                 "'; each needs its own name");
      }
    }
    if (const auto fault = metricFaultOf(rule, metrics)) {
      throw std::runtime_error(named(rule) + " " + fault->sentence);
    }
  }
}

std::string valueText(double value, double level) {
  constexpr int kFewestDigits = 4;
  std::string text;
  for (int digits = kFewestDigits; digits <= kMostDigits; ++digits) {
    text = withDigits(value, digits);
    double read = 0;
    files::parseWhole(text, read);
    if (side(read, level) == side(value, level)) break;
  }
  return text;
}

std::string beganText(const Rule& rule, const RuleSight& sight) {
  const std::string begun = "Rule '" + rule.name + "' began: ";
  if (rule.stale) return begun + "no frame has come for " + durationText(sight.silentMs) + ".";
  if (rule.light.empty()) return begun + metricBegan(rule, sight);
  const std::string light(nameOf(sight.light));
  if (rule.dwellMs == 0) return begun + "the light is " + light + ".";
  return begun + "the light has been " + states(rule.light) + " for " + durationText(sight.heldMs) +
         (rule.light.size() > 1 ? ", and is " + light + " now." : ".");
}

std::string endedText(const Rule& rule, const RuleSight& sight) {
  const std::string over = endedAfter(rule, sight.heldMs);
  const std::string light(nameOf(sight.light));
  if (rule.stale) {
    return over + "frames come again, after " + durationText(sight.silentMs) + " without.";
  }
  if (!rule.light.empty()) return over + "the light is " + light + ".";
  const auto& during = rule.during;
  if (!during.empty() && std::find(during.begin(), during.end(), sight.light) == during.end()) {
    return over + "the light is " + light + ", and it holds only during " + states(during) + ".";
  }
  return over + metricEnded(rule, sight);
}

std::string unwatchedText(const Rule& rule, std::int64_t heldMs) {
  return endedAfter(rule, heldMs) + "the source is no longer watched.";
}

Rules::Rules(std::vector<Rule> rules, const Metrics& metrics)
    : rules_(std::move(rules)), metrics_(metrics), reconnects_(metrics.find("reconnects")) {
  checkRules({rules_, {}}, metrics);
  for (const Rule& rule : rules_) watches_.push_back(watchOf(rule));
}

Rules::Replaced Rules::replace(std::vector<Rule> rules, const Moment& at) {
  checkRules({rules, {}}, metrics_);
  Replaced replaced;
  std::vector<Watch> watches;
  for (const Rule& rule : rules) {
    const auto same = std::find(rules_.begin(), rules_.end(), rule);
    watches.push_back(same == rules_.end()
                          ? watchOf(rule)
                          : watches_[static_cast<std::size_t>(same - rules_.begin())]);
  }
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const bool stays = std::find(rules.begin(), rules.end(), rules_[i]) != rules.end();
    if (watches_[i].holding && !stays) {
      replaced.firings.push_back(
          {i, false, at, std::nullopt,
           "Rule '" + rules_[i].name + "' ended: it was changed or removed."});
    }
  }
  watches_ = std::move(watches);
  replaced.before = std::exchange(rules_, std::move(rules));
  return replaced;
}

std::vector<Firing> Rules::update(const Figures& figures) {
  const std::int64_t nowMs = figures.taken.steadyMs;
  if (figures.values.size() != metrics_.size()) {
    throw std::invalid_argument("there are " + std::to_string(metrics_.size()) +
                                " metrics, but figures hold " +
                                std::to_string(figures.values.size()) + " values");
  }
  if (seen_ && nowMs < lastMs_) moveBack(nowMs - lastMs_);
  if (seen_ && figures.light != light_) lightChangedMs_ = nowMs;
  const std::int64_t gapMs = seen_ ? nowMs - lastMs_ : 0;
  const bool lost = (reconnects_ && figures.values[*reconnects_] > 0) ||
                    std::exchange(missed_, false) || gaps_.isHole(gapMs);
  seen_ = true;
  lastMs_ = nowMs;
  light_ = figures.light;

  std::vector<Firing> firings;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    Watch& watch = watches_[i];
    if (rules_[i].stale) {
      // A frame from the start of the silence may arrive late: it ends nothing.
      if (watch.holding && nowMs > *watch.sinceMs) finish(i, figures.taken, kUnknown, firings);
      continue;
    }
    if (lost || !watch.known) watch.moveOn(gapMs);
    const Verdict verdict = judge(rules_[i], watch.metric, watch.holding, figures);
    watch.known = verdict != Verdict::unknown;
    if (watch.known) follow(i, verdict == Verdict::holds, figures, firings);
  }
  return firings;
}

std::vector<Firing> Rules::silence(const Moment& now, std::int64_t silentMs) {
  std::vector<Firing> firings;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (!rules_[i].stale) continue;
    Watch& watch = watches_[i];
    const bool holds = silentMs >= rules_[i].dwellMs;
    if (holds && !watch.holding) {
      watch.sinceMs = now.steadyMs - silentMs;
      begin(i, now, kUnknown, firings);
    } else if (!holds && watch.holding) {
      finish(i, now, kUnknown, firings);
    }
  }
  return firings;
}

std::vector<Firing> Rules::end(const Moment& at) {
  const std::int64_t gapMs = seen_ ? at.steadyMs - lastMs_ : 0;
  const bool lost = std::exchange(missed_, false) || gaps_.isHole(gapMs);
  std::vector<Firing> firings;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    Watch& watch = watches_[i];
    if (!rules_[i].stale && (lost || !watch.known)) watch.moveOn(gapMs);
    watch.sinceMs.reset();
    if (!std::exchange(watch.holding, false)) continue;
    firings.push_back(
        {i, false, at, std::nullopt, unwatchedText(rules_[i], at.steadyMs - watch.begunMs)});
  }
  return firings;
}

std::vector<bool> Rules::holding() const {
  std::vector<bool> held;
  for (const Watch& watch : watches_) held.push_back(watch.holding);
  return held;
}

Rules::Watch Rules::watchOf(const Rule& rule) const {
  Watch watch;
  if (!rule.metric.empty()) watch.metric = metrics_.find(rule.metric);
  return watch;
}

void Rules::follow(std::size_t i, bool holds, const Figures& figures,
                   std::vector<Firing>& firings) {
  const Rule& rule = rules_[i];
  Watch& watch = watches_[i];
  const std::int64_t nowMs = figures.taken.steadyMs;
  const bool quiet = lightChangedMs_ && nowMs - *lightChangedMs_ < rule.quietAfterLightMs;
  const double value = watch.metric ? figures.values[*watch.metric] : kUnknown;
  if (!holds) {
    watch.sinceMs.reset();
    if (watch.holding && !quiet) finish(i, figures.taken, value, firings);
    return;
  }
  if (!watch.sinceMs) watch.sinceMs = nowMs;
  const bool dwelt = nowMs - *watch.sinceMs >= rule.dwellMs;
  if (!watch.holding && dwelt && !quiet) begin(i, figures.taken, value, firings);
}

void Rules::begin(std::size_t i, const Moment& at, double value, std::vector<Firing>& firings) {
  Watch& watch = watches_[i];
  watch.holding = true;
  watch.begunMs = at.steadyMs;
  const std::int64_t heldMs = at.steadyMs - *watch.sinceMs;
  const RuleSight sight{value, light_, heldMs, heldMs};
  firings.push_back({i, true, at, ifKnown(value), beganText(rules_[i], sight)});
}

void Rules::finish(std::size_t i, const Moment& at, double value, std::vector<Firing>& firings) {
  Watch& watch = watches_[i];
  const std::int64_t silentMs = at.steadyMs - watch.sinceMs.value_or(at.steadyMs);
  const RuleSight sight{value, light_, at.steadyMs - watch.begunMs, silentMs};
  watch.holding = false;
  watch.sinceMs.reset();
  firings.push_back({i, false, at, ifKnown(value), endedText(rules_[i], sight)});
}

// Handles a file that starts again or was rewound: what holds continues there.
void Rules::moveBack(std::int64_t byMs) {
  lastMs_ += byMs;
  if (lightChangedMs_) *lightChangedMs_ += byMs;
  for (Watch& watch : watches_) watch.moveOn(byMs);
}

}  // namespace mpm::monitor
