// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mpm::monitor {

struct Utf8Character {
  std::size_t bytes = 1;
  std::optional<std::uint32_t> code;  ///< nothing: a byte that belongs to no character
};

/// The first character of a text that is not empty.
Utf8Character firstCharacter(std::string_view text);

/// `text` with a U+FFFD for each byte that belongs to no UTF-8 character: one such byte in a label
/// makes Prometheus refuse a whole answer, and brokers close connections over one.
std::string validUtf8(std::string_view text);

}  // namespace mpm::monitor
