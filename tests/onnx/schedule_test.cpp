// SPDX-License-Identifier: Apache-2.0
#include "mpm/schedule.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mpm::test {
namespace {

std::string refusalOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Schedule, IsInOrderAndNamesEachBlockOnce) {
  EXPECT_EQ((Schedule{5, 2, 5}).blocks(), (std::vector<int>{2, 5}));
  EXPECT_EQ(Schedule({5, 2}), Schedule(std::vector<int>{2, 5}));
  EXPECT_NE((Schedule{2}), (Schedule{2, 5}));
  EXPECT_LT((Schedule{2, 5}), Schedule{3});
  EXPECT_TRUE(Schedule{}.empty());
  EXPECT_TRUE((Schedule{2, 5}).contains(5));
  EXPECT_FALSE((Schedule{2, 5}).contains(3));
}

// As programs write it.
TEST(Schedule, ComesFromAListOfBlocksWhereverOneIsWanted) {
  const auto textOf = [](const Schedule& schedule) { return schedule.text(); };
  std::optional<Schedule> schedule;
  schedule = {2, 5};
  EXPECT_EQ(schedule->text(), "2,5");
  schedule = std::vector<int>{7, 3};
  EXPECT_EQ(schedule->text(), "3,7");
  schedule.emplace();
  EXPECT_EQ(schedule->text(), "none");
  EXPECT_EQ(textOf({5}), "5");
  EXPECT_EQ(textOf({}), "none");
  const std::vector<int> blocks = Schedule{4};
  EXPECT_EQ(blocks, std::vector<int>{4});
}

TEST(Schedule, IsReadAsItIsPrinted) {
  for (const Schedule& schedule : {Schedule{}, {0}, {2, 5}, {1, 3, 5, 117}})
    EXPECT_EQ(Schedule::parse(schedule.text()), schedule);
  for (const char* text : {"2, 5", "5,2", " 2 5 ", "2 ,5", "2;5", "2,5,2"})
    EXPECT_EQ(Schedule::parse(text), (Schedule{2, 5})) << text;
  EXPECT_EQ(Schedule::parse(" none "), Schedule());
}

TEST(Schedule, NamesTheWordThatIsNotABlock) {
  const auto refusal = [](const char* text) {
    return refusalOf([text] { Schedule::parse(text); });
  };
  EXPECT_EQ(refusal("2,x"),
            "'x' is not a block; give numbers from 0 with commas between them, as 2,5, or none for "
            "unmerged");
  for (const auto& [text, word] :
       std::vector<std::pair<const char*, std::string>>{{"", "''"},
                                                        {"2,", "''"},
                                                        {"2,,5", "''"},
                                                        {",2", "''"},
                                                        {"-1", "'-1'"},
                                                        {"1.5", "'1.5'"},
                                                        {"2 five", "'five'"},
                                                        {"None", "'None'"},
                                                        {"2,none", "'none'"},
                                                        {"99999999999", "'99999999999'"}})
    EXPECT_EQ(refusal(text).find(word + " is not a block"), 0U) << text << ": " << refusal(text);
}

TEST(Schedule, IsCheckedAgainstWhatANetCanMergeBefore) {
  const auto refusal = [](const Schedule& schedule, const std::vector<int>& mergeable) {
    return refusalOf([&] { schedule.check(mergeable); });
  };
  EXPECT_EQ(refusal({0, 2}, {0, 1, 2}), "");
  EXPECT_EQ(refusal({}, {}), "");
  EXPECT_EQ(refusal({1, 3}, {0, 1, 2}), "merge before 3: the encoder has 3 blocks, 0 to 2");
  EXPECT_EQ(refusal({-1}, {0, 1}), "merge before -1: the encoder has 2 blocks, 0 to 1");
  EXPECT_EQ(refusal({3}, {2, 5}), "merge before 3: the net can only merge before 2,5");
  EXPECT_EQ(refusal({3}, {0}), "merge before 3: the net can only merge before 0");
  EXPECT_EQ(refusal({3}, {}), "merge before 3: there is no encoder that can merge");
  EXPECT_EQ(refusalOf([] { Schedule({12}).check(12); }),
            "merge before 12: the encoder has 12 blocks, 0 to 11");
  EXPECT_EQ(refusalOf([] { Schedule({11}).check(12); }), "");
}

}  // namespace
}  // namespace mpm::test
