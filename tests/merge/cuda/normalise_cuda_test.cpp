// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "merge/cuda/batch.h"
#include "merge/steps.h"
#include "merge/steps_cuda.h"
#include "tolerances.h"

namespace mpm::merge {
namespace {

using test::OwnedRows;

class NormaliseCuda : public test::OnDevice {};

std::vector<double> inversesOf(const test::Batch& batch) {
  const test::DeviceBatch tokens(batch);
  const test::DeviceArray<double> inverse(batch.count.size() *
                                          static_cast<std::size_t>(batch.sizes.mostRows));
  test::expectSuccess(normaliseCuda(batch.sizes, tokens.rows(), inverse.data(), nullptr));
  return inverse.values();
}

TEST_F(NormaliseCuda, AgreesWithTheReferenceAtEveryDim) {
  for (const Element element : {Element::float32, Element::bfloat16}) {
    for (const std::size_t dim : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 192, 1000}) {
      SCOPED_TRACE(testing::Message() << test::nameOf(element) << ' ' << dim);
      const OwnedRows rows =
          test::heldBy(element, test::normalRows(50, dim, static_cast<std::uint32_t>(dim)));
      const auto actual = inversesOf(test::batchOf({rows}, 0, element));
      for (std::size_t i = 0; i < rows.count; ++i) {
        const double expected = inverseNormReference(rows.view().row(i), dim);
        EXPECT_NEAR(actual[i] / expected, 1, test::kInverseNorm) << "row " << i;
      }
    }
  }
}

TEST_F(NormaliseCuda, OutOfRangeRowsKeepTheirNorm) {
  for (const float x : {3e38F, 1e30F, 1e-30F, 1e-44F}) {
    const auto inverse = inversesOf(test::batchOf({OwnedRows(1, 100, x)}));
    EXPECT_NEAR(inverse[0] * static_cast<double>(x) * 10, 1, 1e-7) << "rows of " << x;
  }
}

TEST_F(NormaliseCuda, ZeroRowsAreZeroAndNonFiniteRowsAreNan) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    for (const std::size_t at : {0, 18, 36}) {
      for (const Element element : {Element::float32, Element::bfloat16}) {
        OwnedRows rows(3, 37, 1);
        std::fill_n(rows.row(0), rows.dim, 0.0F);
        rows.row(1)[at] = bad;
        const auto inverse = inversesOf(test::batchOf({rows}, 0, element));
        EXPECT_EQ(inverse[0], 0);
        EXPECT_TRUE(std::isnan(inverse[1]));
        EXPECT_NEAR(inverse[2], 1 / std::sqrt(37.0), test::kInverseNorm);
      }
    }
  }
}

TEST_F(NormaliseCuda, SpecialRowsAndPlacesBehindAnImageAreLeftAlone) {
  const auto inverse =
      inversesOf(test::batchOf({OwnedRows(3, 4, 1), OwnedRows(5, 4, 2), OwnedRows(1, 4, 3)}, 2));
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    const bool first = i == 0, second = i >= 5 && i < 8;
    if (first || second) {
      EXPECT_NEAR(inverse[i], first ? 0.5 : 0.25, test::kInverseNorm) << "place " << i;
    } else {
      EXPECT_TRUE(std::isnan(inverse[i])) << "place " << i;
    }
  }
}

}  // namespace
}  // namespace mpm::merge
