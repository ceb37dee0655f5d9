// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace mpm::files {

/// A number as files hold it. Not by printf, whose point depends on the process's locale: a file
/// is read anywhere.
inline std::string fixedText(double value, int digits) {
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, digits);
  return {text.data(), end.ptr};
}

}  // namespace mpm::files
