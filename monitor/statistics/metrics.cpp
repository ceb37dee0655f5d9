// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/metrics.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace mpm::monitor {
namespace {

std::size_t lengthBy(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

struct Utf8Character {
  std::size_t bytes = 1;
  std::optional<std::uint32_t> code;  // nothing: a byte that belongs to no character
};

// Reads the first character of a text that is not empty.
Utf8Character firstCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = lengthBy(lead);
  if (bytes == 1) return {1, lead};
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t code = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return {};
    code = code << 6 | (byte & 0x3Fu);
  }
  // Accepts only the shortest form, and no half of a UTF-16 pair.
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {bytes, code};
}

constexpr std::string_view kZone = "zone.";

// Names by kind; a part follows a dot.
constexpr std::string_view kSpellings[] = {"live_rows",
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

// Characters beyond ASCII that are no letters: signs, spaces, symbols, private use. All others are
// letters or belong to one, as accents do.
constexpr Range kSigns[] = {
    {0x80, 0xA9},     {0xAB, 0xB4},     {0xB6, 0xB9},     {0xBB, 0xBF},
    {0xD7, 0xD7},     {0xF7, 0xF7},     {0x2000, 0x206F}, {0x20A0, 0x20CF},
    {0x2190, 0x2BFF}, {0x2E00, 0x2E7F}, {0x3000, 0x3004}, {0x3008, 0x3020},
    {0xE000, 0xF8FF}, {0xFE00, 0xFE6F}, {0xFFF0, 0xFFFF}, {0x1F000, 0x1FAFF}};
constexpr std::uint32_t kLast = 0xDFFFF;  // of the planes that have characters

bool stays(std::uint32_t code) {
  if (code < 0x80) {
    return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
           (code >= '0' && code <= '9') || code == '_' || code == '-';
  }
  return code <= kLast &&
         std::none_of(std::begin(kSigns), std::end(kSigns), [&](const Range& range) {
           return code >= range.first && code <= range.last;
         });
}

}  // namespace

std::string validUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = firstCharacter(text);
    valid += character.code ? text.substr(0, character.bytes) : "\xEF\xBF\xBD";
    text.remove_prefix(character.bytes);
  }
  return valid;
}

MetricName MetricName::parse(std::string_view text) {
  MetricName name;
  const std::size_t dot = text.find('.', kZone.size());
  if (text.starts_with(kZone) && dot != text.npos && dot > kZone.size()) {
    name.zone = text.substr(kZone.size(), dot - kZone.size());
    text.remove_prefix(dot + 1);
  }
  for (std::size_t kind = 0; kind < std::size(kSpellings); ++kind) {
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

Metrics::Metrics(std::span<const MetricName> parsed) : parsed_(parsed.begin(), parsed.end()) {
  for (const MetricName& name : parsed_) names_.push_back(name.text());
  placeNames();
}

Metrics::Metrics(std::vector<std::string> names) : names_(std::move(names)) {
  for (const std::string& name : names_) parsed_.push_back(MetricName::parse(name));
  placeNames();
}

void Metrics::placeNames() {
  for (std::size_t place = 0; place < names_.size(); ++place) {
    if (!places_.emplace(names_[place], place).second) {
      throw std::invalid_argument(
          "two metrics are named '" + names_[place] +
          "'; give their classes or zones names that differ in letters, digits, '_' or '-'");
    }
  }
}

std::optional<std::size_t> Metrics::find(std::string_view name) const {
  const auto found = places_.find(std::string(name));
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

}  // namespace mpm::monitor
