// SPDX-License-Identifier: Apache-2.0
#include "merge/map.h"

#include <gtest/gtest.h>

#include <vector>

#include "merge/scope.h"
#include "mpm/merge.h"

namespace mpm {
namespace {

using Ints = std::vector<std::int32_t>;

TEST(Map, Composes) {
  Ints map = {0, 1, 0, 2, 3};
  const Ints clusterOf = {0, 1, 0, 2};
  merge::composeMap(map.data(), map.size(), clusterOf.data());
  EXPECT_EQ(map, (Ints{0, 1, 0, 0, 2}));
}

TEST(Map, FindsTheFirstEntryOutside) {
  const Ints map = {0, 1, 2, -1, 3};
  EXPECT_EQ(merge::firstOutside(map.data(), 5, 4), 3U);
  EXPECT_EQ(merge::firstOutside(map.data(), 3, 2), 2U);
  EXPECT_EQ(merge::firstOutside(map.data(), 3, 3), 3U);
}

TEST(Map, MultiplicitiesCountOriginals) {
  const Ints map = {0, 1, 0, 2, 0};
  Ints sizes(4, -1);
  multiplicities(map.data(), map.size(), sizes.data(), sizes.size());
  EXPECT_EQ(sizes, (Ints{3, 1, 1, 0}));
}

TEST(Map, ALiveRowStandsWhereItsLowestMemberStood) {
  const Ints map = {1, 0, 0, 1, 2, 1};  // a grid of 2 x 3
  const Ints labels = {7, 8, 9, 7, 5, 7};
  MergeOptions options;
  options.window = 1, options.gridHeight = 2, options.gridWidth = 3,
  options.regions = labels.data();
  merge::Scope scope;
  merge::buildScope(options, map.data(), map.size(), 3, scope);
  EXPECT_EQ(scope.y, (Ints{0, 0, 1}));
  EXPECT_EQ(scope.x, (Ints{1, 0, 1}));
  EXPECT_EQ(scope.region, (Ints{8, 7, 5}));
}

}  // namespace
}  // namespace mpm
