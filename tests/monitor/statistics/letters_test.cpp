// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/letters.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace mpm::test {
namespace {

using monitor::firstLetter;
using monitor::Letter;

void expectLetter(std::string_view text, std::size_t bytes, bool stays) {
  const Letter letter = firstLetter(text);
  EXPECT_EQ(letter.bytes, bytes) << text;
  EXPECT_EQ(letter.stays, stays) << text;
}

TEST(Letters, OfAsciiAreLettersDigitsAndTwoMore) {
  const std::string_view stay = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  for (int code = 0; code < 128; ++code) {
    const auto character = static_cast<char>(code);
    expectLetter({&character, 1}, 1, stay.find(character) != std::string_view::npos);
  }
}

TEST(Letters, OfOtherScriptsStay) {
  for (const char* text : {"ß", "é", "ÿ", "Ā", "Ж", "ש", "ع", "क", "木", "한", "が", "ﬁ", "𝒜"}) {
    expectLetter(text, std::string_view(text).size(), true);
  }
}

TEST(Letters, SignsSpacesAndSymbolsAreNone) {
  for (const char* text : {" ", "©", "·", "×", "÷", "“", "…", "€", "→", "✓", "　", "🚗"}) {
    expectLetter(text, std::string_view(text).size(), false);
  }
}

TEST(Letters, BytesThatAreNoUtf8AreNoneEach) {
  for (const std::string_view text : {std::string_view("\x80"),
                                      {"\xFF"},
                                      {"\xC3"},
                                      {"\xC3("},
                                      {"\xC0\xAF"},
                                      {"\xE0\x80\xAF"},
                                      {"\xED\xA0\x80"},
                                      {"\xF5\x80\x80\x80"},
                                      {"\xF4\x90\x80\x80"},
                                      {"\xE6\x9C"}}) {
    expectLetter(text, 1, false);
  }
}

}  // namespace
}  // namespace mpm::test
