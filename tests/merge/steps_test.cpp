// SPDX-License-Identifier: Apache-2.0
// Each step of a merge but matching, by each implementation and by the reference.
#include "merge/steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "merge/implementation.h"

namespace mpm::merge {
namespace {

using test::Implementation;
using test::OwnedRows;
using Ints = std::vector<std::int32_t>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLeast = std::numeric_limits<float>::denorm_min();

const Implementation kReference = {
    "reference",
    false,
    false,
    0,
    0,
    [](const OwnedRows& rows) { return rows; },
    nullptr,
    [](const OwnedRows& rows) {
      std::vector<double> inverse;
      for (std::size_t i = 0; i < rows.count; ++i)
        inverse.push_back(inverseNormReference(rows.view().row(i), rows.dim));
      return inverse;
    },
    [](const OwnedRows& rows, const std::vector<Cluster>& clusters) {
      OwnedRows merged(clusters.size(), rows.dim);
      averageReference(rows.view(), clusters.data(), clusters.size(), merged.view());
      return merged;
    },
    [](const OwnedRows& live, const Ints& map) {
      OwnedRows full(map.size(), live.dim, 7);
      restoreReference(live.view(), map.data(), full.view());
      return full;
    }};

std::vector<Implementation> withReference() {
  std::vector<Implementation> all = test::implementations();
  all.push_back(kReference);
  return all;
}

class Steps : public testing::TestWithParam<Implementation> {};

TEST_P(Steps, NormsAreTheReferencesAtEveryDim) {
  for (const std::size_t dim : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 192, 1000}) {
    SCOPED_TRACE(dim);
    const OwnedRows rows = GetParam().hold(
        test::normalRows(GetParam().isDevice ? 50 : 300, dim, static_cast<std::uint32_t>(dim)));
    const auto expected = kReference.inverseNorms(rows), actual = GetParam().inverseNorms(rows);
    for (std::size_t i = 0; i < rows.count; ++i) {
      EXPECT_NEAR(actual[i] / expected[i], 1, test::kInverseNorm) << "row " << i;
    }
  }
}

// Sums of whole numbers are exact in any order, so it shows how squares are rounded.
TEST_P(Steps, NormsOfWholeNumbersHaveTheReferencesBits) {
  if (GetParam().isDevice) GTEST_SKIP() << "its contract has a tolerance";
  for (std::size_t dim = 1; dim <= 70; ++dim) {
    OwnedRows row = test::normalRows(1, dim, static_cast<std::uint32_t>(dim));
    for (float& x : row.data) x = std::round(x * 100000);
    EXPECT_EQ(GetParam().inverseNorms(row), kReference.inverseNorms(row)) << dim;
  }
}

TEST_P(Steps, NormsOfRowsOutOfRangeZeroOrNotFinite) {
  for (const float x : {3e38F, 1e30F, 1e-30F, 1e-44F}) {
    if (GetParam().isBf16) break;  // which cannot hold them
    const auto inverse = GetParam().inverseNorms(OwnedRows(1, 100, x));
    EXPECT_NEAR(inverse[0] * static_cast<double>(x) * 10, 1, 1e-7) << "rows of " << x;
  }
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    for (const std::size_t at : {0, 18, 36}) {
      OwnedRows rows(3, 37, 1);
      std::fill_n(rows.row(0), rows.dim, 0.0F);
      rows.row(1)[at] = bad;
      const auto inverse = GetParam().inverseNorms(rows);
      EXPECT_EQ(inverse[0], 0);
      EXPECT_TRUE(std::isnan(inverse[1]));
      EXPECT_NEAR(inverse[2], 1 / std::sqrt(37.0), test::kInverseNorm);
    }
  }
}

TEST_P(Steps, MeansAreTheReferences) {
  for (const std::size_t dim : {1, 3, 4, 7, 8, 15, 16, 17, 64, 193, 1032}) {
    SCOPED_TRACE(dim);
    const OwnedRows rows = GetParam().hold(test::normalRows(200, dim, 11));
    std::vector<Cluster> clusters;
    for (std::int32_t i = 0; i < 150; ++i) clusters.push_back({i, i % 3 == 0 ? kAlone : 199 - i});
    const OwnedRows expected = GetParam().hold(kReference.average(rows, clusters));
    const OwnedRows actual = GetParam().average(rows, clusters);
    const double tolerance = GetParam().isBf16 ? 0 : test::kMergedRow * 4;  // once, of a mean
    for (std::size_t i = 0; i < expected.data.size(); ++i) {
      ASSERT_NEAR(actual.data[i], expected.data[i], tolerance) << i;
    }
  }
}

TEST_P(Steps, MeansOfOneRowAreCopiedAndOfLargeOnesDoNotOverflow) {
  OwnedRows row(1, 19, kLeast);
  row.row(0)[3] = kNan;
  row.row(0)[4] = -0.0F;
  row.row(0)[5] = -kInfinity;
  row = GetParam().hold(row);
  const OwnedRows alone = GetParam().average(row, {{0, kAlone}});
  for (std::size_t k = 0; k < row.dim; ++k) {
    EXPECT_TRUE(alone.data[k] == row.data[k] || (k == 3 && std::isnan(alone.data[k]))) << k;
    EXPECT_TRUE(k == 3 || std::signbit(alone.data[k]) == std::signbit(row.data[k])) << k;
  }
  const OwnedRows large = GetParam().hold(OwnedRows(2, 21, 3e38F));
  for (const float x : GetParam().average(large, {{0, 1}}).data) EXPECT_EQ(x, large.data[0]);
}

// Halves of subnormal numbers are rounded, so it shows how often.
TEST_P(Steps, AMeanDoesNotDependOnItsPlaceInTheRow) {
  for (const std::size_t dim : {2, 3, 5, 9, 17, 33, 47}) {
    for (const auto& [a, b] : {std::pair{3, 1}, {1, 3}, {5, 2}, {1, 1}, {7, 9}}) {
      SCOPED_TRACE(testing::Message() << dim << " features, " << a << " and " << b);
      OwnedRows rows(2, dim, kLeast * static_cast<float>(a));
      std::fill_n(rows.row(1), dim, kLeast * static_cast<float>(b));
      const OwnedRows merged = GetParam().average(rows, {{0, 1}});
      for (const float mean : merged.data) EXPECT_EQ(mean, merged.data[0]);
    }
  }
}

TEST_P(Steps, RestoringCopiesRowsToTheBit) {
  for (const std::size_t dim : {1, 3, 4, 8, 33, 264}) {
    const OwnedRows live = GetParam().hold(test::normalRows(90, dim, 12));
    for (const std::size_t count : {1, 2, 197, 1025, 40000}) {  // 40000 are shared by threads
      if (count > 10000 && (dim != 33 || GetParam().isDevice)) continue;
      SCOPED_TRACE(testing::Message() << count << " x " << dim);
      Ints map(count);
      std::mt19937 random(13);
      for (std::int32_t& entry : map) entry = static_cast<std::int32_t>(random() % live.count);
      const OwnedRows full = GetParam().restore(live, map);
      for (std::size_t i = 0; i < count; ++i) {
        const float* const row = live.view().row(static_cast<std::size_t>(map[i]));
        ASSERT_TRUE(std::equal(row, row + dim, full.view().row(i))) << "row " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Steps, testing::ValuesIn(withReference()), test::nameOf);

TEST(Pair, OnlyMutualChoicesPair) {
  const auto partners = [](const Ints& best) {
    Ints partner(best.size());
    pairMutual(best.data(), best.size(), partner.data());
    return partner;
  };
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
  Ints members;
  for (std::size_t c = 0; c < 4; ++c)
    members.insert(members.end(), {clusters[c].first, clusters[c].second});
  EXPECT_EQ(members, (Ints{0, kAlone, 1, 4, 2, kAlone, 3, 5}));
}

}  // namespace
}  // namespace mpm::merge
