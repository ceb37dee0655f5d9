// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "monitor/clock/manual_clock.h"
#include "monitor/rules/rules.h"

namespace mpm::test {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
inline constexpr std::int64_t kHourMs = 3600000;

inline monitor::Rule metricRule() {
  monitor::Rule rule;
  rule.name = "cars";
  rule.metric = "area.car";
  rule.above = 0.5;
  return rule;
}

inline monitor::Rule lightRule(std::vector<monitor::LightState> light, std::int64_t dwellMs = 0) {
  monitor::Rule rule;
  rule.name = "dark";
  rule.light = std::move(light);
  rule.dwellMs = dwellMs;
  return rule;
}

inline monitor::Rule staleRule(std::int64_t dwellMs) {
  monitor::Rule rule;
  rule.name = "lost";
  rule.stale = true;
  rule.dwellMs = dwellMs;
  return rule;
}

/// One source's rules, fed by hand. A step's answer: "+" for each rule that began, "-" for each
/// that ended, in order.
class Fed {
 public:
  explicit Fed(std::vector<monitor::Rule> all)
      : rules(std::move(all), monitor::Metrics({"luma", "area.car", "reconnects"})) {}

  std::string at(std::int64_t ms, double value,
                 monitor::LightState light = monitor::LightState::day, double reconnects = 0) {
    clock.advance(ms - clock.now().steadyMs);
    return tell(rules.update({clock.now(), light, {0.5, value, reconnects}}));
  }

  std::string silentAt(std::int64_t ms, std::int64_t silentMs) {
    clock.advance(ms - clock.now().steadyMs);
    return tell(rules.silence(clock.now(), silentMs));
  }

  std::string tell(std::vector<monitor::Firing> fired) {
    std::string text;
    for (const monitor::Firing& firing : fired) text += firing.began ? "+" : "-";
    if (!fired.empty()) last = fired.back();
    return text;
  }

  ManualClock clock{1700000000000};
  monitor::Rules rules;
  monitor::Firing last;
};

}  // namespace mpm::test
