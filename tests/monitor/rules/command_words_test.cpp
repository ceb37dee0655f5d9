// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/commands.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

using monitor::misspelled;
using monitor::withValues;

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
