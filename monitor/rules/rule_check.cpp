// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <stdexcept>

#include "monitor/rules/commands.h"
#include "monitor/rules/rules.h"
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
    return RuleFault{looked.back(), "looks at " + listed(looked) + " at once; keep " + one};
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

// What only a metric's rule may have.
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

// For who wrote `wrong`: those that are like it, or what there is.
std::string likeIt(const std::string& wrong, std::vector<std::string> names) {
  const std::vector<std::string> meant = likeThese(wrong, names, kMostSuggested);
  if (!meant.empty()) return "similar: " + listed(meant);
  if (names.empty()) return "there are no metrics";
  if (names.size() > kMostListed) {
    const std::size_t more = names.size() - kMostListed;
    names.resize(kMostListed);
    names.push_back(std::to_string(more) + " more");
  }
  return "known metrics: " + listed(names);
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
  return RuleFault{"metric", sentence + (meant.empty() ? "known zones: " + listed(parts)
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

}  // namespace mpm::monitor
