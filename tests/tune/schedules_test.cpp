// SPDX-License-Identifier: Apache-2.0
#include "tune/passes.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

using tune::extensionsOf;
using tune::schedulesOf;
using Schedules = std::vector<Schedule>;

std::vector<int> blocksUpTo(int count) {
  std::vector<int> blocks;
  for (int block = 0; block < count; ++block) blocks.push_back(block);
  return blocks;
}

TEST(Schedules, AreAllThatThereAreInTheirOrder) {
  EXPECT_EQ(schedulesOf({0, 1, 2}, 1), (Schedules{{0}, {1}, {2}}));
  EXPECT_EQ(schedulesOf({0, 2, 5}, 2), (Schedules{{0, 2}, {0, 5}, {2, 5}}));
  EXPECT_EQ(schedulesOf({0, 2, 5}, 3), (Schedules{{0, 2, 5}}));
  EXPECT_EQ(schedulesOf(blocksUpTo(12), 2).size(), 66U);
  EXPECT_EQ(schedulesOf(blocksUpTo(24), 3).size(), 2024U);
}

TEST(Schedules, OfMoreMergesThanBlocksThereAreNone) {
  EXPECT_EQ(schedulesOf({0, 1}, 3), Schedules{});
  EXPECT_EQ(schedulesOf({}, 1), Schedules{});
  EXPECT_EQ(schedulesOf({0, 1}, 0), Schedules{});
}

TEST(Schedules, ExtensionsAddOneMergeAndComeOnce) {
  EXPECT_EQ(extensionsOf({{1, 2}}, {0, 1, 2, 3}), (Schedules{{0, 1, 2}, {1, 2, 3}}));
  EXPECT_EQ(extensionsOf({{0, 2}, {0, 1}}, {0, 1, 2}), (Schedules{{0, 1, 2}}));
  EXPECT_EQ(extensionsOf({}, {0, 1}), Schedules{});
  EXPECT_EQ(extensionsOf(schedulesOf(blocksUpTo(6), 2), blocksUpTo(6)),
            schedulesOf(blocksUpTo(6), 3));
}

TEST(Schedules, SimplerHasFewerMergesThenEarlierOnes) {
  EXPECT_TRUE(tune::simpler({9}, {0, 1}));
  EXPECT_TRUE(tune::simpler({0, 5}, {1, 2}));
  EXPECT_FALSE(tune::simpler({1, 2}, {1, 2}));
}

}  // namespace
}  // namespace mpm::test
