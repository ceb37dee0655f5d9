// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/duration.h"

#include <algorithm>

namespace mpm::monitor {
namespace {

std::string twoUnits(std::int64_t whole, const char* unit, std::int64_t rest, const char* smaller) {
  const std::string text = std::to_string(whole) + " " + unit;
  return rest == 0 ? text : text + " " + std::to_string(rest) + " " + smaller;
}

}  // namespace

std::string durationText(std::int64_t ms) {
  ms = std::max<std::int64_t>(ms, 0);
  const std::int64_t tenths = ms / 100;
  if (tenths < 100 && tenths % 10 != 0) {
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
  }
  const std::int64_t seconds = ms / 1000, minutes = seconds / 60, hours = minutes / 60;
  if (minutes == 0) return std::to_string(seconds) + " s";
  if (hours == 0) return twoUnits(minutes, "min", seconds % 60, "s");
  if (hours < 24) return twoUnits(hours, "h", minutes % 60, "min");
  return twoUnits(hours / 24, "d", hours % 24, "h");
}

}  // namespace mpm::monitor
