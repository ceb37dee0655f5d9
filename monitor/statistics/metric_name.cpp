// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/metric_name.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "monitor/statistics/utf8.h"

namespace mpm::monitor {
namespace {

constexpr std::string_view kZone = "zone.";

// By kind; a part follows a dot.
constexpr std::array<std::string_view, 21> kSpellings{"live_rows",
                                                      "rows.",
                                                      "merged_share",
                                                      "similarity.",
                                                      "confidence",
                                                      "flicker",
                                                      "area.",
                                                      "luma",
                                                      "saturation",
                                                      "camera_faults",
                                                      "ms.",
                                                      "frame_age_ms",
                                                      "drops",
                                                      "reconnects",
                                                      "fresh_rows",
                                                      "fresh_share",
                                                      "memory_agreement",
                                                      "memory_age",
                                                      "gcc",
                                                      "m2.",
                                                      ""};

bool isSpelled(std::string_view text, std::string_view spelling) {
  if (!spelling.ends_with('.')) return text == spelling;
  return text.starts_with(spelling) && text.size() > spelling.size();
}

bool isOfZones(MetricKind kind) {
  return kind == MetricKind::area || kind == MetricKind::gcc || kind == MetricKind::squareMetres;
}

struct Range {
  std::uint32_t first, last;
};

// Beyond ASCII, what is no letter: signs, spaces, symbols, private use. All else is one, or
// belongs to one, as accents do.
constexpr std::array<Range, 16> kSigns{{{0x80, 0xA9},
                                        {0xAB, 0xB4},
                                        {0xB6, 0xB9},
                                        {0xBB, 0xBF},
                                        {0xD7, 0xD7},
                                        {0xF7, 0xF7},
                                        {0x2000, 0x206F},
                                        {0x20A0, 0x20CF},
                                        {0x2190, 0x2BFF},
                                        {0x2E00, 0x2E7F},
                                        {0x3000, 0x3004},
                                        {0x3008, 0x3020},
                                        {0xE000, 0xF8FF},
                                        {0xFE00, 0xFE6F},
                                        {0xFFF0, 0xFFFF},
                                        {0x1F000, 0x1FAFF}}};
constexpr std::uint32_t kLast = 0xDFFFF;  // of the planes that have characters

bool stays(std::uint32_t code) {
  if (code < 0x80) {
    return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
           (code >= '0' && code <= '9') || code == '_' || code == '-';
  }
  return code <= kLast && std::none_of(kSigns.begin(), kSigns.end(), [&](const Range& range) {
           return code >= range.first && code <= range.last;
         });
}

}  // namespace

MetricName MetricName::parse(std::string_view text) {
  MetricName name;
  const std::size_t dot = text.find('.', kZone.size());
  if (text.starts_with(kZone) && dot != text.npos && dot > kZone.size()) {
    name.zone = text.substr(kZone.size(), dot - kZone.size());
    text.remove_prefix(dot + 1);
  }
  for (std::size_t kind = 0; kind < kSpellings.size(); ++kind) {
    if (!isSpelled(text, kSpellings[kind])) continue;
    if (!name.zone.empty() && !isOfZones(static_cast<MetricKind>(kind))) continue;
    name.kind = static_cast<MetricKind>(kind);
    text.remove_prefix(kSpellings[kind].size());
    break;
  }
  name.part = text;
  return name;
}

std::string MetricName::text() const {
  std::string text;
  if (!zone.empty()) text.append(kZone).append(zone).append(".");
  return text.append(kSpellings[static_cast<std::size_t>(kind)]).append(part);
}

std::string metricPart(std::string_view name) {
  std::string part;
  while (!name.empty()) {
    const Utf8Character character = firstCharacter(name);
    if (character.code && stays(*character.code)) {
      part += name.substr(0, character.bytes);
    } else {
      part += '_';
    }
    name.remove_prefix(character.bytes);
  }
  return part.empty() ? "_" : part;
}

bool dependsOnMemory(const MetricName& name) {
  switch (name.kind) {
    case MetricKind::step:
    case MetricKind::frameAge:
    case MetricKind::drops:
    case MetricKind::flicker:
    case MetricKind::freshRows:
    case MetricKind::freshShare:
    case MetricKind::memoryAgreement:
    case MetricKind::memoryAge:
      return true;
    default:
      return false;
  }
}

}  // namespace mpm::monitor
