// SPDX-License-Identifier: Apache-2.0
// Words for people, and the words of commands.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "monitor/rules/commands.h"
#include "monitor/rules/words.h"

namespace mpm::test {
namespace {

using monitor::durationText;
using monitor::listed;

TEST(Likeness, ListsReadAsASentence) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}, "or"), "a, b or c");
}

TEST(Duration, IsToldInTheUnitsThatMatter) {
  for (const auto& [ms, text] : {std::pair(std::int64_t{-5}, "0 s"),
                                 {0, "0 s"},
                                 {99, "0 s"},
                                 {500, "0.5 s"},
                                 {1000, "1 s"},
                                 {9999, "9.9 s"},
                                 {12900, "12 s"},
                                 {60000, "1 min"},
                                 {125000, "2 min 5 s"},
                                 {3600000, "1 h"},
                                 {3600000 * 3 + 60000 * 12 + 59999, "3 h 12 min"},
                                 {86400000LL * 9 + 3600000 * 4, "9 d 4 h"}})
    EXPECT_EQ(durationText(ms), text);
}

const monitor::PlaceholderValues kValues{
    {"rule", "gate"}, {"source", "yard"}, {"value", "0.5"}, {"state", "began"}, {"time", ""}};

TEST(Placeholders, AreReplaced) {
  EXPECT_EQ(withValues("", kValues), "");
  EXPECT_EQ(withValues("{rule}", kValues), "gate");
  EXPECT_EQ(withValues("a{source}b{rule}{rule}c", kValues), "ayardbgategatec");
  EXPECT_EQ(withValues("[{time}]", kValues), "[]");
}

TEST(Placeholders, OtherBracesStay) {
  for (const char* text : {"{", "}", "{}", "{rule", "rule}", "{other}", "{ rule }", "{print $1}"}) {
    EXPECT_EQ(withValues(text, kValues), text);
  }
  EXPECT_EQ(withValues("{{rule}}", kValues), "{gate}");
  EXPECT_EQ(withValues(R"({"rule": "{rule}", "value": {value}})", kValues),
            R"({"rule": "gate", "value": 0.5})");
  EXPECT_EQ(withValues("{rule{rule}", kValues), "{rulegate");
}

TEST(Placeholders, AValueIsNotParsedAgain) {
  EXPECT_EQ(withValues("{rule} {source}", {{"rule", "{source}"}, {"source", "{rule}"}}),
            "{source} {rule}");
  EXPECT_EQ(withValues("{{rule}ce}", {{"rule", "sour"}, {"source", "no"}}), "{source}");
}

TEST(Placeholders, OneThatWasMeantIsFound) {
  EXPECT_FALSE(misspelled("{rule} {source} {value} {time} {state}"));
  EXPECT_FALSE(misspelled("awk '{print}' {} {0} {name: .x}"));
  EXPECT_FALSE(misspelled(R"({"rule": "{rule}", "value": {value}})"));
  EXPECT_FALSE(misspelled(R"({"rule": 1})"));
  const auto wrong = misspelled("{rule} at {tiem}");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->first, "tiem");
  EXPECT_EQ(wrong->second, "time");
}

}  // namespace
}  // namespace mpm::test
