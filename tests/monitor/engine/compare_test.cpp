// SPDX-License-Identifier: Apache-2.0
#include "monitor/engine/compare.h"

#include <gtest/gtest.h>

namespace mpm::monitor {
namespace {

// Frames of a net that needs so long; gives which of them were compared.
std::vector<int> comparedOf(CompareBudget& budget, Compare compare, const Schedule& schedule,
                            int frames, double ms = 60, double fullMs = 100, bool remembers = false,
                            bool filtered = false) {
  std::vector<int> compared;
  for (int i = 0; i < frames; ++i) {
    FrameResult result;
    result.segmentation.times = {0, ms, 0};
    if (budget.isDue(compare, schedule, remembers, filtered)) {
      compared.push_back(i);
      result.full.emplace().times = {0, fullMs, 0};
    }
    budget.took(result);
  }
  return compared;
}

TEST(CompareBudget, SometimesTakesItsShareOfTheTime) {
  CompareBudget budget;
  const int frames = 20000;
  const std::vector<int> compared = comparedOf(budget, Compare::sometimes, {2, 5}, frames);
  ASSERT_GT(compared.size(), 3U);
  EXPECT_EQ(compared[0], 1);
  EXPECT_EQ(compared[1], 2);
  EXPECT_GT(compared[2], 40);
  const double full = 100.0 * static_cast<double>(compared.size());
  const double share = full / (full + 60.0 * frames);
  EXPECT_LE(share, kCompareShare * 1.01);
  EXPECT_GE(share, kCompareShare * 0.95);
}

// A frame of 100 ms that tells the noise floor takes another 100.
TEST(CompareBudget, TheNoiseFloorIsToldBySomeAndIsPartOfTheShare) {
  CompareBudget budget;
  std::vector<int> told;
  constexpr int kFrames = 20000;
  double ms = 0;
  for (int i = 0; i < kFrames; ++i) {
    FrameResult result;
    result.segmentation.times = {0, 60, 0};
    if (budget.isDue(Compare::sometimes, {2, 5}, false, false)) {
      told.push_back(budget.isFloorDue(Compare::sometimes) ? 1 : 0);
      EXPECT_FALSE(budget.isFloorDue(Compare::always));
      result.full.emplace().times = {0, 100, 0};
      result.floorMs = 100 * told.back();
      ms += 100 + result.floorMs;
    }
    budget.took(result);
  }
  EXPECT_LE(ms / (ms + 60.0 * kFrames), kCompareShare * 1.01);
  EXPECT_GE(ms / (ms + 60.0 * kFrames), kCompareShare * 0.95);
  ASSERT_GT(told.size(), 6U);
  told.resize(6);
  EXPECT_EQ(told, (std::vector<int>{0, 1, 0, 0, 0, 1}));
}

TEST(CompareBudget, AnotherScheduleIsComparedAtOnce) {
  CompareBudget budget;
  comparedOf(budget, Compare::sometimes, {2, 5}, 10);
  EXPECT_EQ(comparedOf(budget, Compare::sometimes, {3}, 10), (std::vector<int>{1, 2}));
}

TEST(CompareBudget, WithAMemoryFullTokensAreSomethingElseAsWell) {
  CompareBudget budget;
  comparedOf(budget, Compare::sometimes, {}, 10);
  EXPECT_EQ(comparedOf(budget, Compare::sometimes, {}, 10, 10, 100, true),
            (std::vector<int>{1, 2}));
}

// Seen: for most of a minute of a simulated night it was not known what merging saved.
TEST(CompareBudget, WhatAFilterChangesIsComparedAtOnce) {
  CompareBudget budget;
  comparedOf(budget, Compare::sometimes, {2}, 10);
  for (const bool filtered : {true, false})
    EXPECT_EQ(comparedOf(budget, Compare::sometimes, {2}, 10, 60, 100, false, filtered),
              (std::vector<int>{1, 2}));
}

TEST(CompareBudget, NeverAlwaysAndFullTokens) {
  CompareBudget budget;
  EXPECT_TRUE(comparedOf(budget, Compare::never, {2}, 5).empty());
  EXPECT_EQ(comparedOf(budget, Compare::always, {2}, 3).size(), 3U);
  EXPECT_TRUE(comparedOf(budget, Compare::always, {}, 3).empty());
}

}  // namespace
}  // namespace mpm::monitor
