// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/letters.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace mpm::monitor {
namespace {

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

bool staysInAscii(unsigned char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_' || byte == '-';
}

bool isLetter(std::uint32_t code) {
  return code <= kLast && std::none_of(kSigns.begin(), kSigns.end(), [&](const Range& range) {
           return code >= range.first && code <= range.last;
         });
}

std::size_t lengthBy(unsigned char lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

}  // namespace

Letter firstLetter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, staysInAscii(lead)};
  const std::size_t bytes = lengthBy(lead);
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t code = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return {};
    code = code << 6 | (byte & 0x3Fu);
  }
  // The shortest form only, and no half of a pair of UTF-16.
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {bytes, isLetter(code)};
}

}  // namespace mpm::monitor
