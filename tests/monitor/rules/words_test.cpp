// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/words.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

using monitor::differences;
using monitor::durationText;
using monitor::likeThese;
using monitor::listed;
using Words = std::vector<std::string>;

TEST(Likeness, DifferencesAreCounted) {
  EXPECT_EQ(differences("", ""), 0U);
  EXPECT_EQ(differences("car", "car"), 0U);
  EXPECT_EQ(differences("", "car"), 3U);
  EXPECT_EQ(differences("car", ""), 3U);
  EXPECT_EQ(differences("car", "cart"), 1U);
  EXPECT_EQ(differences("cart", "car"), 1U);
  EXPECT_EQ(differences("car", "cat"), 1U);
  EXPECT_EQ(differences("car", "cra"), 1U);
  EXPECT_EQ(differences("kitten", "sitting"), 3U);
}

TEST(Likeness, TheLikeliestComesFirst) {
  const Words metrics{"area.cart", "luma", "area.car", "zone.gate.area.car"};
  EXPECT_EQ(likeThese("area.cra", metrics, 3), (Words{"area.car", "area.cart"}));
  EXPECT_EQ(likeThese("area.cra", metrics, 1), Words{"area.car"});
  EXPECT_EQ(likeThese("car", metrics, 9), (Words{"area.car", "area.cart", "zone.gate.area.car"}));
  EXPECT_EQ(likeThese("my.luma", metrics, 9), Words{"luma"});
}

TEST(Likeness, OfNothingLikeItThereIsNothing) {
  EXPECT_TRUE(likeThese("confidence", {"area.car", "luma"}, 3).empty());
  EXPECT_TRUE(likeThese("", {"area.car"}, 3).empty());
  EXPECT_TRUE(likeThese("car", {}, 3).empty());
}

TEST(Likeness, ListsReadAsASentence) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}, "or"), "a, b or c");
}

TEST(Duration, IsToldInTheUnitsThatMatter) {
  EXPECT_EQ(durationText(-5), "0 s");
  EXPECT_EQ(durationText(0), "0 s");
  EXPECT_EQ(durationText(99), "0 s");
  EXPECT_EQ(durationText(500), "0.5 s");
  EXPECT_EQ(durationText(1000), "1 s");
  EXPECT_EQ(durationText(9999), "9.9 s");
  EXPECT_EQ(durationText(12900), "12 s");
  EXPECT_EQ(durationText(60000), "1 min");
  EXPECT_EQ(durationText(125000), "2 min 5 s");
  EXPECT_EQ(durationText(3600000), "1 h");
  EXPECT_EQ(durationText(3600000 * 3 + 60000 * 12 + 59999), "3 h 12 min");
  EXPECT_EQ(durationText(86400000LL * 9 + 3600000 * 4), "9 d 4 h");
}

}  // namespace
}  // namespace mpm::test
