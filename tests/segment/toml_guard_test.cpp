// SPDX-License-Identifier: Apache-2.0
#include "segment/toml_guard.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <toml++/toml.h>
#include <vector>

namespace mpm::test {
namespace {

using segment::guardToml;

int lineOfFault(std::string_view text) {
  const auto fault = guardToml(text);
  return fault ? fault->line : 0;
}

TEST(TomlGuard, WhatIsRightPasses) {
  for (const char* text :
       {"", "\n\r\n\t \n", "\xef\xbb\xbf[a]\n", "[a]\n[ b ]\n[[c]]\n[[ \"d\" ]]\n['e']\n[-f]\n",
        "# größe [[[ } \"\na = 1", "a = \"größe } [\"\n[b]", "a = 'größe \\'\n[b]",
        "a = \"\\\"é\"\n", "a.\"b\".'c' = [\"\\\\é\",\"\"]\n", "\xef\xbb\xbf\"a\" = 1",
        "a = \"\"\"\né \"\" }\n[[[\n\"\"\"\n[b]", "a = '''\n\\'' }\n[[[\n'''\n",
        "a = [\n  [0.1, 0.5], # é\n  [+0.1, .5],\n]\n[b]\n", "a = { b = [ { c = 1 } ], d = {} }\n",
        "a = \"\"\"\\\n  b\\\\\"\"\"\n[c]",
        "[a.\"é\"]\nb = [{ c.\"é\" = 1, d.'é' = [0.5] }]\ne.'é' = 1"}) {
    EXPECT_EQ(lineOfFault(text), 0) << text;
  }
}

TEST(TomlGuard, WhatTomlTakesForImpossibleIsRefused) {
  EXPECT_EQ(lineOfFault("a = 1\ngröße = 2\n"), 2);
  EXPECT_EQ(lineOfFault("a = 1\n\xe2\x80\x9c"
                        "b\xe2\x80\x9d = 2\n"),
            2);
  EXPECT_EQ(lineOfFault(std::string_view("a = 1\n\0", 7)), 2);
  for (const char* text : {"\n[[[rule]]]",
                           "\n[[=",
                           "\n[+a]",
                           "\n[",
                           "\n[[",
                           "\n[\na]",
                           "\n[ #]",
                           "\n[[\r\n",
                           "\na = [}]",
                           "\na = [1, }]",
                           "\n}",
                           "\na = {}}",
                           "\na = 1e\"\"\"é\"\"\"",
                           "\na = 0.\"é\"",
                           "\na = [0.5[\"é\"]]",
                           "\na = 0.5=\"é\"",
                           "\na = 0.5{'é'}",
                           "\na = 0.{'é'}",
                           "\na = [-n.{{'é'}}]",
                           "\na = [0.5, 0.\"\"\"é",
                           "\na = { b = 0.'é' }",
                           "\na = \"b\"\"é\"",
                           "\na = \"\\é\"",
                           "\na = \"\"\"\\\né\"\"\""}) {
    EXPECT_EQ(lineOfFault(text), 2) << text;
  }
}

TEST(TomlGuard, LinesAreCountedInLongTextsToo) {
  EXPECT_EQ(lineOfFault("a = \"\"\"\n\n\\\n\"\"\"\n}"), 5);
  EXPECT_EQ(lineOfFault("a = '''\n\n\\\n'''\n}"), 5);
  EXPECT_EQ(lineOfFault("# one\n\n# two\n}"), 4);
  EXPECT_EQ(lineOfFault("a = \"open\n}"), 2);
}

// Pieces of TOML in any order. Assertions and sanitizers find what is taken for impossible.
TEST(TomlGuard, TogetherTheyReadOrRefuseAnything) {
  const std::vector<std::string> pieces{
      "[", "]",     "[[", "]]", "{",    "}",    "=",    "\"",         "'",        "\"\"\"", "'''",
      "#", "\n",    ".",  ",",  "rule", "name", "zone", "1979-05-27", "07:32:00", "T",      "Z",
      "é", "\\u00", "\\", "e",  "0x",   "-",    "+",    "1e",         "inf",      "nan",    "tru",
      "_", "\r\n",  "\t", " ",  "0.5",  "\xff", "\x01", "“",          "0b1",      "true",   "1_"};
  const unsigned seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  int passed = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (std::size_t k = 0, count = 1 + random() % 14; k < count; ++k) {
      text += pieces[random() % pieces.size()];
    }
    if (guardToml(text)) continue;
    ++passed;
    try {
      (void)toml::parse(text);
    } catch (const toml::parse_error&) {
    }
  }
  EXPECT_GT(passed, 500);
}

// Seen: an error of two lines, where the second half of "false" was missing.
TEST(TomlGuard, WhatTheParserSaysStandsOnOneLine) {
  try {
    (void)toml::parse(std::string_view("a = f\nb = 1"));
    FAIL() << "accepted";
  } catch (const toml::parse_error& error) {
    const std::string said = segment::onOneLine(error.description());
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    EXPECT_NE(said.find("\\n"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace mpm::test
