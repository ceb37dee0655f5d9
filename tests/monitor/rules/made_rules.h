// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "monitor/rules/rules.h"

namespace mpm::test {

inline monitor::Rule metricRule(const std::string& name, const std::string& metric, double above,
                                std::int64_t dwellMs = 0) {
  monitor::Rule rule;
  rule.name = name;
  rule.metric = metric;
  rule.above = above;
  rule.dwellMs = dwellMs;
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

}  // namespace mpm::test
