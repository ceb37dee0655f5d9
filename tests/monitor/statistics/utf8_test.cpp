// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/utf8.h"

#include <gtest/gtest.h>

namespace mpm::monitor {
namespace {

const std::string kMark = "\xEF\xBF\xBD";

TEST(Utf8, ValidTextStaysAsItIs) {
  for (const std::string text : {"", "car", "Bäume", "樹", "\xF0\x9F\x8C\xB3", "\xED\x9F\xBF",
                                 "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(validUtf8(text), text);
  }
  EXPECT_EQ(validUtf8(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(Utf8, EachByteOfNoCharacterIsMarked) {
  EXPECT_EQ(validUtf8("B\xE4ume"), "B" + kMark + "ume");                    // Latin-1
  EXPECT_EQ(validUtf8("\x80"), kMark);                                      // a continuation alone
  EXPECT_EQ(validUtf8("a\xC3"), "a" + kMark);                               // cut off
  EXPECT_EQ(validUtf8("\xC0\xAF"), kMark + kMark);                          // two bytes for "/"
  EXPECT_EQ(validUtf8("\xE0\x80\xAF"), kMark + kMark + kMark);              // three
  EXPECT_EQ(validUtf8("\xED\xA0\x80"), kMark + kMark + kMark);              // a surrogate
  EXPECT_EQ(validUtf8("\xF4\x90\x80\x80"), kMark + kMark + kMark + kMark);  // beyond the last
  EXPECT_EQ(validUtf8("\xF0\x8F\xBF\xBF"), kMark + kMark + kMark + kMark);  // too long
  EXPECT_EQ(validUtf8("\xFF"
                      "a"),
            kMark + "a");
}

}  // namespace
}  // namespace mpm::monitor
