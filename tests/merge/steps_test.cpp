// SPDX-License-Identifier: Apache-2.0
#include "merge/steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "random_rows.h"
#include "tolerances.h"

namespace mpm::merge {
namespace {

using test::OwnedRows;

std::vector<double> inverses(double (*norm)(const float*, std::size_t), const OwnedRows& rows) {
  std::vector<double> inverse;
  for (std::size_t i = 0; i < rows.count; ++i)
    inverse.push_back(norm(rows.view().row(i), rows.dim));
  return inverse;
}

TEST(Normalise, AgreesWithTheReferenceAtEveryDim) {
  for (const std::size_t dim : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 192, 1000}) {
    SCOPED_TRACE(dim);
    const OwnedRows rows = test::normalRows(300, dim, static_cast<std::uint32_t>(dim));
    const auto expected = inverses(inverseNormReference, rows);
    const auto actual = inverses(inverseNormCpu, rows);
    for (std::size_t i = 0; i < rows.count; ++i) {
      EXPECT_NEAR(actual[i] / expected[i], 1, test::kInverseNorm) << "row " << i;
    }
  }
}

// Sums of whole numbers are exact in any order, so it shows how squares are rounded.
TEST(Normalise, OfWholeNumbersGivesTheReferencesBits) {
  for (std::size_t dim = 1; dim <= 70; ++dim) {
    OwnedRows row = test::normalRows(1, dim, static_cast<std::uint32_t>(dim));
    for (float& x : row.data) x = std::round(x * 100000);
    EXPECT_EQ(inverseNormCpu(row.row(0), dim), inverseNormReference(row.row(0), dim)) << dim;
  }
}

TEST(Normalise, OutOfRangeRowsKeepTheirNorm) {
  for (const float x : {3e38F, 1e30F, 1e-30F, 1e-44F}) {
    for (const auto norm : {inverseNormReference, inverseNormCpu}) {
      const auto inverse = inverses(norm, OwnedRows(1, 100, x));
      EXPECT_NEAR(inverse[0] * x * 10, 1, 1e-7) << "rows of " << x;
    }
  }
}

TEST(Normalise, ZeroRowsAreZeroAndNonFiniteRowsAreNan) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    for (const std::size_t at : {0, 18, 36}) {
      OwnedRows rows(3, 37, 1);
      std::fill_n(rows.row(0), rows.dim, 0.0F);
      rows.row(1)[at] = bad;
      for (const auto norm : {inverseNormReference, inverseNormCpu}) {
        const auto inverse = inverses(norm, rows);
        EXPECT_EQ(inverse[0], 0);
        EXPECT_TRUE(std::isnan(inverse[1]));
        EXPECT_NEAR(inverse[2], 1 / std::sqrt(37.0), test::kInverseNorm);
      }
    }
  }
}

TEST(Average, AgreesWithTheReference) {
  for (const std::size_t dim : {1, 3, 4, 15, 16, 17, 64, 193}) {
    SCOPED_TRACE(dim);
    const OwnedRows rows = test::normalRows(200, dim, 11);
    std::vector<Cluster> clusters;
    for (std::int32_t i = 0; i < 150; ++i) clusters.push_back({i, i % 3 == 0 ? kAlone : 199 - i});
    OwnedRows expected(150, dim), actual(150, dim);
    averageReference(rows.view(), clusters.data(), 150, expected.view());
    averageCpu(rows.view(), clusters.data(), 150, actual.view());
    for (std::size_t i = 0; i < expected.data.size(); ++i) {
      EXPECT_NEAR(actual.data[i], expected.data[i], test::kMergedRow * 4);
    }
  }
}

TEST(Average, ALoneRowIsCopiedToTheBit) {
  OwnedRows rows(1, 19, std::numeric_limits<float>::denorm_min());
  rows.row(0)[3] = std::numeric_limits<float>::quiet_NaN();
  const Cluster alone{0, kAlone};
  for (const auto average : {averageReference, averageCpu}) {
    OwnedRows merged(1, 19);
    average(rows.view(), &alone, 1, merged.view());
    EXPECT_TRUE(std::isnan(merged.data[3]));
    EXPECT_EQ(merged.data[18], rows.data[18]);
  }
}

// Halves of subnormal numbers are rounded, so it shows how often.
TEST(Average, AMeanDoesNotDependOnItsPlaceInTheRow) {
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  const Cluster pair{0, 1};
  for (const std::size_t dim : {2, 3, 5, 9, 17, 33, 47}) {
    for (const auto& [a, b] : {std::pair{3, 1}, {1, 3}, {5, 2}, {1, 1}, {7, 9}}) {
      SCOPED_TRACE(testing::Message() << dim << " features, " << a << " and " << b);
      OwnedRows rows(2, dim, kLeast * static_cast<float>(a)), merged(1, dim);
      std::fill_n(rows.row(1), dim, kLeast * static_cast<float>(b));
      averageCpu(rows.view(), &pair, 1, merged.view());
      for (const float mean : merged.data) EXPECT_EQ(mean, merged.data[0]);
    }
  }
}

TEST(Average, LargeRowsDoNotOverflow) {
  const OwnedRows rows(2, 21, 3e38F);
  const Cluster pair{0, 1};
  for (const auto average : {averageReference, averageCpu}) {
    OwnedRows merged(1, 21);
    average(rows.view(), &pair, 1, merged.view());
    for (const float x : merged.data) EXPECT_EQ(x, 3e38F);
  }
}

TEST(Restore, CopiesRowsToTheBit) {
  for (const std::size_t count : {1, 2, 197, 1025, 40000}) {
    const OwnedRows live = test::normalRows(90, 33, 12);  // 40000 rows are shared by threads
    std::vector<std::int32_t> map(count);
    std::mt19937 random(13);
    for (std::int32_t& entry : map) entry = static_cast<std::int32_t>(random() % live.count);
    OwnedRows expected(count, 33, 7), actual(count, 33, 8);
    restoreReference(live.view(), map.data(), expected.view());
    restoreCpu(live.view(), map.data(), actual.view());
    EXPECT_EQ(actual.data, expected.data);
    EXPECT_EQ(actual.row(count - 1)[32],
              live.data[static_cast<std::size_t>(map[count - 1]) * 33 + 32]);
  }
}

}  // namespace
}  // namespace mpm::merge
