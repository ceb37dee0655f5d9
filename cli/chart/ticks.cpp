// SPDX-License-Identifier: Apache-2.0
#include "cli/chart/ticks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace mpm::cli {
namespace {

constexpr double kRounding = 1e-9;  // of a step

double stepOf(double span, int count) {
  const double rough = span / std::max(1, count);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (rough <= digit * power * (1 + kRounding)) return digit * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<double> ticksOf(const Range& range, int count) {
  if (!(range.high > range.low)) return {range.low};
  const double step = stepOf(range.high - range.low, count);
  std::vector<double> ticks;
  const double first = std::ceil(range.low / step - kRounding);
  for (double i = first; i * step <= range.high + kRounding * step; ++i) ticks.push_back(i * step);
  return ticks;
}

std::vector<std::string> wordsOf(const std::vector<double>& ticks) {
  int digits = 0;
  if (ticks.size() > 1) {
    const double step = ticks[1] - ticks[0];
    digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - kRounding)));
  }
  std::vector<std::string> words;
  for (const double tick : ticks) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, tick == 0 ? 0 : tick);
    words.emplace_back(text);
  }
  return words;
}

}  // namespace mpm::cli
