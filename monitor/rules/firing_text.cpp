// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/firing_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "monitor/rules/words.h"

namespace mpm::monitor {
namespace {

// Of a level less a hysteresis: 0.25 - 0.03 is to read 0.22.
constexpr int kLevelDigits = 10, kMostDigits = 17;

// Without an exponent where that is as readable: 12345, not 1.235e+04.
std::string withDigits(double value, int digits) {
  const double size = std::fabs(value);
  if (size >= 1 && size < 1e15) {
    digits = std::max(digits, static_cast<int>(std::floor(std::log10(size))) + 1);
  }
  // Not printf and, below, strtod: their point depends on the locale.
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::general, digits);
  return {text.data(), end.ptr};
}

double read(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

int side(double value, double level) { return (value > level) - (value < level); }

std::string states(const std::vector<LightState>& states) {
  std::vector<std::string> words;
  for (const LightState state : states) words.emplace_back(nameOf(state));
  return listed(words, "or");
}

std::string levels(const Rule& rule) {
  if (!rule.below) return "above " + numberText(*rule.above);
  if (!rule.above) return "below " + numberText(*rule.below);
  return "outside of " + numberText(*rule.below) + " to " + numberText(*rule.above);
}

std::string metricBegan(const Rule& rule, const Sight& sight) {
  const bool isAbove = rule.above && (!rule.below || sight.value > *rule.above);
  const std::string value = valueText(sight.value, isAbove ? *rule.above : *rule.below);
  if (rule.dwellMs == 0) return rule.metric + " is " + value + ", " + levels(rule) + ".";
  return rule.metric + " has been " + levels(rule) + " for " + durationText(sight.heldMs) +
         ", and is " + value + " now.";
}

std::string endedAfter(const Rule& rule, std::int64_t heldMs) {
  return "Rule '" + rule.name + "' ended after " + durationText(heldMs) + ": ";
}

std::string metricEnded(const Rule& rule, const Sight& sight) {
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

}  // namespace

std::string valueText(double value, double level) {
  constexpr int kFewestDigits = 4;
  std::string text;
  for (int digits = kFewestDigits; digits <= kMostDigits; ++digits) {
    text = withDigits(value, digits);
    if (side(read(text), level) == side(value, level)) break;
  }
  return text;
}

std::string beganText(const Rule& rule, const Sight& sight) {
  const std::string begun = "Rule '" + rule.name + "' began: ";
  if (rule.stale) return begun + "no frame has come for " + durationText(sight.silentMs) + ".";
  if (rule.light.empty()) return begun + metricBegan(rule, sight);
  const std::string light(nameOf(sight.light));
  if (rule.dwellMs == 0) return begun + "the light is " + light + ".";
  return begun + "the light has been " + states(rule.light) + " for " + durationText(sight.heldMs) +
         (rule.light.size() > 1 ? ", and is " + light + " now." : ".");
}

std::string endedText(const Rule& rule, const Sight& sight) {
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

}  // namespace mpm::monitor
