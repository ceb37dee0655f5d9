// SPDX-License-Identifier: Apache-2.0
#include "merge/steps.h"

#include <gtest/gtest.h>

#include <vector>

#include "mpm/merge.h"

namespace mpm::merge {
namespace {

using Ints = std::vector<std::int32_t>;

Ints partners(const Ints& best) {
  Ints partner(best.size());
  pairMutual(best.data(), best.size(), partner.data());
  return partner;
}

TEST(Pair, OnlyMutualChoicesPair) {
  //        0 <-> 2; 1 wants 2; 3 <-> 4; 5 found nothing
  EXPECT_EQ(partners({2, 2, 0, 4, 3, -1}), (Ints{2, kAlone, 0, 4, 3, kAlone}));
  EXPECT_EQ(partners({1, 2, 0}), (Ints{kAlone, kAlone, kAlone}));  // a ring is no pair
  EXPECT_EQ(partners({}), Ints{});
}

TEST(Pair, ClustersAreNumberedByTheirLowestMember) {
  const Ints partner = {kAlone, 4, kAlone, 5, 1, 3};
  Ints clusterOf(partner.size());
  std::vector<Cluster> clusters(partner.size());
  ASSERT_EQ(compact(partner.data(), partner.size(), clusterOf.data(), clusters.data()), 4U);
  EXPECT_EQ(clusterOf, (Ints{0, 1, 2, 3, 1, 3}));
  EXPECT_EQ(clusters[1].first, 1);
  EXPECT_EQ(clusters[1].second, 4);
  EXPECT_EQ(clusters[2].second, kAlone);
  EXPECT_EQ(clusters[3].second, 5);
}

TEST(Map, Composes) {
  Ints map = {0, 1, 0, 2, 3};
  const Ints clusterOf = {0, 1, 0, 2};
  composeMap(map.data(), map.size(), clusterOf.data());
  EXPECT_EQ(map, (Ints{0, 1, 0, 0, 2}));
}

TEST(Map, FindsTheFirstEntryOutside) {
  const Ints map = {0, 1, 2, -1, 3};
  EXPECT_EQ(firstOutside(map.data(), 5, 4), 3U);
  EXPECT_EQ(firstOutside(map.data(), 3, 2), 2U);
  EXPECT_EQ(firstOutside(map.data(), 3, 3), 3U);
}

TEST(Map, MultiplicitiesCountOriginals) {
  const Ints map = {0, 1, 0, 2, 0};
  Ints sizes(4, -1);
  multiplicities(map.data(), map.size(), sizes.data(), sizes.size());
  EXPECT_EQ(sizes, (Ints{3, 1, 1, 0}));
}

}  // namespace
}  // namespace mpm::merge
