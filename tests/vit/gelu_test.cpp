// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tolerances.h"
#include "vit/packed_calls.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;

// As the contract has it, of max(1, |x|).
void expectGelus(ConstRows actual, ConstRows expected, ConstRows x) {
  for (std::size_t i = 0; i < x.count; ++i) {
    for (std::size_t k = 0; k < x.dim; ++k) {
      const double error = std::abs(static_cast<double>(actual.row(i)[k]) - expected.row(i)[k]);
      ASSERT_TRUE(error <= test::kVitGelu * std::max(1.0F, std::abs(x.row(i)[k])))
          << "of " << x.row(i)[k] << ": " << actual.row(i)[k] << " instead of "
          << expected.row(i)[k];
    }
  }
}

TEST(Gelu, AgreesWithTheReference) {
  for (const test::VitShape& shape : test::vitShapes()) {
    for (const Gelu kind : kGelus) {
      const std::uint32_t seed = 51;
      SCOPED_TRACE(testing::Message()
                   << shape << ", kind " << static_cast<int>(kind) << ", seed " << seed);
      const OwnedRows x = test::normalRows(shape.rows, shape.dim, seed);
      OwnedRows expected = x;
      PoisonedRows actual(expected);
      geluReference(kind, expected.view());
      geluCpu(kind, actual.view());
      expectGelus(actual.view(), expected.view(), x.view());
      actual.expectPoisonUntouched();
    }
  }
}

TEST(Gelu, AgreesAllAlongTheAxis) {
  OwnedRows axis(1, 40001);
  for (std::size_t k = 0; k < axis.dim; ++k) {
    axis.data[k] = (static_cast<float>(k) - 20000) * 1e-3F;  // -20 to 20
  }
  for (const Gelu kind : kGelus) {
    SCOPED_TRACE(static_cast<int>(kind));
    OwnedRows expected = axis, actual = axis;
    geluReference(kind, expected.view());
    geluCpu(kind, actual.view());
    expectGelus(actual.view(), expected.view(), axis.view());
  }
}

// To the bit where it is compared with x; else to what the reciprocal of 1 is rounded to, which
// differs between processors.
TEST(Gelu, FarOutItIsZeroOrTheIdentity) {
  for (const float far : {50.0F, 1e4F, 1e20F, 3e38F}) {
    for (const Gelu kind : kGelus) {
      const double rounding = kind == Gelu::erf ? 0 : test::kVitGelu;
      for (const auto gelu : {geluReference, geluCpu}) {
        OwnedRows rows(2, 17, far);
        for (std::size_t k = 0; k < 17; ++k) rows.row(1)[k] = -far;
        gelu(kind, rows.view());
        for (const std::size_t k : {0, 16}) {
          EXPECT_NEAR(rows.row(0)[k] / far, 1, rounding) << "kind " << static_cast<int>(kind);
          EXPECT_NEAR(rows.row(1)[k] / far, 0, 1e-30) << "kind " << static_cast<int>(kind);
        }
      }
    }
  }
}

TEST(Gelu, NanStaysNan) {
  for (const Gelu kind : kGelus) {
    for (const auto gelu : {geluReference, geluCpu}) {
      OwnedRows rows(1, 19, std::numeric_limits<float>::quiet_NaN());
      gelu(kind, rows.view());
      for (const float x : rows.data) EXPECT_TRUE(std::isnan(x));
    }
  }
}

}  // namespace
}  // namespace mpm::vit
