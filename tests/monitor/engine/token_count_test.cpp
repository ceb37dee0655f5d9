// SPDX-License-Identifier: Apache-2.0
#include "monitor/engine/token_count.h"

#include <gtest/gtest.h>

#include <vector>

namespace mpm::monitor {
namespace {

std::vector<int> dueOf(TokenCount& count, const Schedule& schedule, int frames, std::int64_t stepMs,
                       std::int64_t fromMs = 0) {
  std::vector<int> due;
  for (int i = 0; i < frames; ++i)
    if (count.isDue({fromMs + i * stepMs, 0, 0, true}, schedule)) due.push_back(i);
  return due;
}

TEST(TokenCount, FastFramesCountByNumber) {
  TokenCount count;
  EXPECT_EQ(dueOf(count, {2, 5}, 200, 100), (std::vector{0, 64, 128, 192}));
}

TEST(TokenCount, SlowFramesCountOnceAMinute) {
  TokenCount count;
  EXPECT_EQ(dueOf(count, {2, 5}, 10, 25000), (std::vector{0, 3, 6, 9}));
  TokenCount slower;
  EXPECT_EQ(dueOf(slower, {2, 5}, 4, 300000).size(), 4U);
}

TEST(TokenCount, AnotherScheduleCountsAtOnceAndAVideoThatWasWoundBackGoesOn) {
  TokenCount count;
  dueOf(count, {2, 5}, 10, 100);
  EXPECT_EQ(dueOf(count, {3}, 10, 100, 1000), std::vector{0});
  EXPECT_EQ(dueOf(count, {3}, 10, 100, -600000), std::vector{0});
  EXPECT_TRUE(dueOf(count, {3}, 10, 100, -590000).empty());
}

}  // namespace
}  // namespace mpm::monitor
