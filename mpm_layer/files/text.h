// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace mpm::files {

/// Returns a CSV field (RFC 4180) that holds this text, quoted if necessary.
inline std::string csvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

/// Formats a number for files. printf does not do: its decimal point depends on the locale, and a
/// file is read anywhere.
inline std::string fixedText(double value, int digits) {
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, digits);
  return {text.data(), end.ptr};
}

/// Formats a number in the shortest way that reads back the same, whatever the locale.
inline std::string numberText(double value) {
  std::array<char, 40> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// Formats a number with six significant digits at most: no measurement is good for more.
inline std::string shortText(double value) {
  std::array<char, 40> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6);
  return {text.data(), end.ptr};
}

/// Parses the whole of `text` as a number; false if it is none.
template <class Number>
bool parseWhole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// Returns "a, b, c".
inline std::string joined(const std::vector<std::string>& words, std::string_view between = ", ") {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) text.append(i > 0 ? between : "").append(words[i]);
  return text;
}

/// Returns "a", "a and b", "a, b and c"; "" for none.
inline std::string listed(std::vector<std::string> words, const std::string& lastWord = "and") {
  if (words.size() < 2) return joined(words);
  const std::string last = " " + lastWord + " " + words.back();
  words.pop_back();
  return joined(words) + last;
}

}  // namespace mpm::files
