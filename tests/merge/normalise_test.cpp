// SPDX-License-Identifier: Apache-2.0
#include "merge/normalise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace
}  // namespace mpm::merge
