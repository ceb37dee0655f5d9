// SPDX-License-Identifier: Apache-2.0
// Words for people, and the words of commands.
#include "monitor/rules/words.h"

#include "monitor/rules/commands.h"
#include "monitor/says.h"

namespace mpm::test {
namespace {

using namespace monitor;

TEST(Words, ListsReadAsASentence) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}, "or"), "a, b or c");
}

TEST(Words, ADurationIsToldInTheUnitsThatMatter) {
  std::string told;
  for (const std::int64_t ms :
       {-5LL, 0LL, 99LL, 500LL, 1000LL, 9999LL, 12900LL, 60000LL, 125000LL, 3600000LL,
        3600000LL * 3 + 60000 * 12 + 59999, 86400000LL * 9 + 3600000 * 4})
    told += durationText(ms) + ", ";
  EXPECT_EQ(told,
            "0 s, 0 s, 0 s, 0.5 s, 1 s, 9.9 s, 12 s, 1 min, 2 min 5 s, 1 h, 3 h 12 min, 9 d 4 h, ");
}

// Other braces stay, and a value is not parsed again.
TEST(Placeholders, AreReplaced) {
  const PlaceholderValues values{{"rule", "gate"},   {"source", "yard"}, {"value", "0.5"},
                                 {"state", "began"}, {"time", ""},       {"odd", "{rule}"},
                                 {"half", "{sour"}};
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"{rule}", "gate"},
      {"a{source}b{rule}{rule}c", "ayardbgategatec"},
      {"[{time}]", "[]"},
      {"{odd} {source}", "{rule} yard"},
      {"{half}ce}", "{source}"},
      {"{{rule}}", "{gate}"},
      {R"({"rule": "{rule}", "value": {value}})", R"({"rule": "gate", "value": 0.5})"},
      {"{rule{rule}", "{rulegate"}};
  for (const auto& [text, wanted] : cases) EXPECT_EQ(withValues(text, values), wanted);
  for (const char* text : {"{", "}", "{}", "{rule", "rule}", "{other}", "{ rule }", "{print $1}"})
    EXPECT_EQ(withValues(text, values), text);
}

TEST(Placeholders, OneThatWasMeantIsFound) {
  for (const char* right :
       {"{rule} {source} {value} {time} {state}", R"({"rule": 1})",
        "awk '{print}' {} {0} {name: .x}", R"({"rule": "{rule}", "value": {value}})"})
    EXPECT_FALSE(misspelled(right)) << right;
  const auto wrong = misspelled("{rule} at {tiem}");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->first + " " + wrong->second, "tiem time");
}

}  // namespace
}  // namespace mpm::test
