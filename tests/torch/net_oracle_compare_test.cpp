// SPDX-License-Identifier: Apache-2.0
#include "torch/net_oracle.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace mpm::test {
namespace {

at::Tensor integers(const std::vector<std::int64_t>& values) {
  return at::tensor(values, at::kLong);
}

MergeStage stage(const std::vector<std::int64_t>& best, const std::vector<double>& gap,
                 const std::vector<std::int64_t>& map) {
  return {0, integers(best), at::tensor(gap, at::kDouble), integers(map)};
}

// 0 and 1 are a pair, 2 and 3 are one, 4 likes 3.
const std::vector<std::int64_t> kBest{1, 0, 3, 2, 3}, kMap{0, 0, 1, 1, 2};
const std::vector<double> kClear{0.1, 0.1, 0.1, 0.1, 0.1};

TEST(NetOracleCompare, ClearMergesHaveOneMap) {
  const std::vector<MergeStage> merges{stage(kBest, kClear, kMap)};
  EXPECT_TRUE(areClear(merges));
  EXPECT_TRUE(mapAgrees(merges, integers(kMap)));
  EXPECT_FALSE(mapAgrees(merges, integers({0, 0, 1, 2, 2})));
  EXPECT_FALSE(mapAgrees(merges, integers({1, 1, 0, 0, 2}))) << "another order";
  EXPECT_FALSE(mapAgrees(merges, integers({0, 0, 1, 1})));
}

TEST(NetOracleCompare, NoMergesLeaveEveryTokenItsRow) {
  EXPECT_TRUE(areClear({}));
  EXPECT_TRUE(mapAgrees({}, integers({0, 1, 2})));
  EXPECT_FALSE(mapAgrees({}, integers({0, 1, 1})));
}

// Row 3 cannot tell 2 from 4: that excuses 2, 3 and 4, but neither 0 nor 1.
TEST(NetOracleCompare, UnclearRowsAndTheirPartnersAreExcused) {
  const std::vector<MergeStage> merges{stage(kBest, {0.1, 0.1, 0.1, 1e-6, 0.1}, kMap)};
  EXPECT_FALSE(areClear(merges));
  EXPECT_TRUE(mapAgrees(merges, integers({0, 0, 1, 2, 2})));
  EXPECT_FALSE(mapAgrees(merges, integers({0, 1, 2, 3, 3}))) << "0 and 1 parted";
  EXPECT_FALSE(mapAgrees(merges, integers({0, 0, 1, 2, 0}))) << "0, 1 and 4 together";
}

TEST(NetOracleCompare, BehindAnUnclearMergeRowsMayOnlyGrow) {
  const std::vector<MergeStage> merges{stage(kBest, {0.1, 0.1, 0.1, 1e-6, 0.1}, kMap),
                                       stage({1, 0, 1}, {0.1, 0.1, 0.1}, {0, 0, 0, 0, 1})};
  EXPECT_TRUE(mapAgrees(merges, integers({0, 0, 0, 0, 1})));
  EXPECT_TRUE(mapAgrees(merges, integers({0, 0, 1, 0, 0})));
  EXPECT_FALSE(mapAgrees(merges, integers({0, 1, 0, 1, 1})));
}

// The second merge counts its rows behind the first.
TEST(NetOracleCompare, TokensOfALaterMergeAreFoundThroughTheMap) {
  const std::vector<MergeStage> merges{stage(kBest, kClear, kMap),
                                       stage({1, 0, 1}, {1e-6, 0.1, 0.1}, {0, 0, 0, 0, 1})};
  EXPECT_TRUE(mapAgrees(merges, integers({0, 0, 1, 1, 2})));
  EXPECT_FALSE(mapAgrees(merges, integers({0, 0, 1, 1, 1}))) << "row 1 does not want row 2";
  const std::vector<MergeStage> other{stage(kBest, kClear, kMap),
                                      stage({1, 0, 1}, {0.1, 0.1, 1e-6}, {0, 0, 0, 0, 1})};
  EXPECT_FALSE(mapAgrees(other, integers({0, 0, 1, 1, 2}))) << "rows 0 and 1 are clear";
}

TEST(NetOracleCompare, ErrorsAreRelativeToTheLargest) {
  const at::Tensor expected = at::tensor({0.0, -100.0}, at::kDouble);
  EXPECT_NEAR(relativeError(at::tensor({0.5, -100.0}, at::kDouble), expected), 0.005, 1e-12);
  EXPECT_EQ(relativeError(at::zeros({2}, at::kDouble), at::zeros({2}, at::kDouble)), 0);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(relativeError(at::tensor({0.0, -kInfinity}, at::kDouble), expected), kInfinity);
  EXPECT_EQ(relativeError(expected.unsqueeze(0), expected), kInfinity);
}

}  // namespace
}  // namespace mpm::test
