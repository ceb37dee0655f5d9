// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/iso_time.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace mpm::monitor {
namespace {

constexpr std::int64_t kFirstMs = -62167219200000, kEndMs = 253402300800000;  // years 0 and 10000

std::string format(std::int64_t utcMs, const char* pattern) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(utcMs)};
  const auto midnight = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(midnight);
  const auto ms = static_cast<int>((time - midnight).count());
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), pattern, static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                ms / 3600000, ms / 60000 % 60, ms / 1000 % 60, ms % 1000);
  return text.data();
}

}  // namespace

std::string isoUtc(std::int64_t utcMs) {
  if (utcMs < kFirstMs || utcMs >= kEndMs) return {};
  return format(utcMs, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ");
}

std::string isoUtcCompact(std::int64_t utcMs) {
  if (utcMs < kFirstMs || utcMs >= kEndMs) return "T" + std::to_string(utcMs);
  return format(utcMs, "%04d%02u%02uT%02d%02d%02d.%03dZ");
}

}  // namespace mpm::monitor
