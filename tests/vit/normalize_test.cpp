// SPDX-License-Identifier: Apache-2.0
#include "vit/normalize.h"

#include <gtest/gtest.h>

#include "tolerances.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;

TEST(Normalize, AgreesWithTheReference) {
  for (const test::VitShape& shape : test::vitShapes()) {
    const std::uint32_t seed = 21;
    SCOPED_TRACE(testing::Message() << shape << ", seed " << seed);
    test::RandomNetwork network(seed);
    NormWeights weights = network.norm(shape.dim);
    PoisonedRows in(test::normalRows(shape.rows, shape.dim, seed + 100));
    for (const int given : {0, 1, 2, 3, 4, 7}) {
      const NormWeights some{given & 1 ? weights.scale : nullptr,
                             given & 2 ? weights.shift : nullptr, weights.eps, given < 4};
      OwnedRows expected(shape.rows, shape.dim);
      PoisonedRows actual(shape.rows, shape.dim);
      normalizeReference(in.view(), some, expected.view());
      normalizeCpu(in.view(), some, actual.view());
      test::expectNear(actual.view(), expected.view(), test::kVitOperation);
      actual.expectPoisonUntouched();
    }
  }
}

// Features, scale and shift come again every kPeriod places, so the result does.
TEST(Normalize, AValueDoesNotDependOnItsPlaceInTheRow) {
  constexpr std::size_t kPeriod = 5;
  for (const std::size_t dim : {6, 7, 9, 13, 17, 19, 31, 66, 197}) {
    const OwnedRows given = test::normalRows(3, kPeriod, static_cast<std::uint32_t>(dim));
    OwnedRows all(3, dim);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < dim; ++k) all.row(i)[k] = given.view().row(i)[k % kPeriod];
    }
    for (const int weights : {0, 1, 2, 3}) {
      SCOPED_TRACE(testing::Message() << dim << " features, weights " << weights);
      OwnedRows out(1, dim);
      normalizeCpu({all.row(0), 1, dim},
                   {(weights & 1) != 0 ? all.row(1) : nullptr,
                    (weights & 2) != 0 ? all.row(2) : nullptr, 1e-6F},
                   out.view());
      for (std::size_t k = 0; k < dim; ++k) EXPECT_EQ(out.data[k], out.data[k % kPeriod]) << k;
    }
    OwnedRows unit = all;
    makeUnit(unit.row(0), dim);
    for (std::size_t k = 0; k < dim; ++k) EXPECT_EQ(unit.data[k], unit.data[k % kPeriod]) << k;
  }
}

TEST(Normalize, WithoutAMeanItIsTheRootMeanSquareThatBecomesOne) {
  const std::vector<float> in{3, 3, 3, 3, 1, -7, 1, 7};
  std::vector<float> out(8);
  normalizeCpu({in.data(), 2, 4}, {nullptr, nullptr, 0, false}, {out.data(), 2, 4});
  EXPECT_EQ(out, (std::vector<float>{1, 1, 1, 1, 0.2F, -1.4F, 0.2F, 1.4F}));
}

TEST(Normalize, WorksInPlace) {
  OwnedRows rows = test::normalRows(17, 24, 22), expected(17, 24), inPlace = rows;
  normalizeReference(rows.view(), {}, expected.view());
  normalizeReference(inPlace.view(), {}, inPlace.view());
  test::expectNear(inPlace.view(), expected.view(), 0);
  normalizeCpu(rows.view(), {}, rows.view());
  test::expectNear(rows.view(), expected.view(), test::kVitOperation);
}

TEST(Normalize, ARowOfEqualFeaturesGivesTheShiftToTheBit) {
  for (const std::size_t dim : {1, 16, 24, 193}) {
    for (const float value : {0.0F, 0.1F, -12345.678F, 3e30F}) {
      SCOPED_TRACE(testing::Message() << dim << " features of " << value);
      test::RandomNetwork network(23);
      const NormWeights weights = network.norm(dim);
      OwnedRows rows(3, dim, value);
      for (const auto normalize : {normalizeReference, normalizeCpu}) {
        OwnedRows out(3, dim);
        normalize(rows.view(), weights, out.view());
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t k = 0; k < dim; ++k) EXPECT_EQ(out.row(i)[k], weights.shift[k]);
        }
      }
    }
  }
}

TEST(Normalize, ALargeOffsetAndALargeScaleLeaveNoTrace) {
  OwnedRows rows = test::normalRows(5, 64, 24);
  for (float& x : rows.data) x = x * 1e20F;
  rows.row(1)[7] = 1e30F;
  for (std::size_t k = 0; k < 64; ++k) rows.row(2)[k] = 1e6F + static_cast<float>(k % 3);
  OwnedRows expected(5, 64), actual(5, 64);
  normalizeReference(rows.view(), {}, expected.view());
  normalizeCpu(rows.view(), {}, actual.view());
  test::expectNear(actual.view(), expected.view(), test::kVitOperation);
}

}  // namespace
}  // namespace mpm::vit
