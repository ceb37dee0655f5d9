// SPDX-License-Identifier: Apache-2.0
#include "vit/attention.h"

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

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct AttentionCase {
  OwnedRows q, k, v;
  Attention attention;

  AttentionCase(std::size_t queries, std::size_t keys, std::size_t dim, std::size_t heads,
                std::uint32_t seed)
      : q(test::normalRows(queries, dim, seed)),
        k(test::normalRows(keys, dim, seed + 1)),
        v(test::normalRows(keys, dim, seed + 2)),
        attention{heads, 0.35F, nullptr} {}

  OwnedRows expected() const {
    OwnedRows out(q.count, q.dim, kNan);
    attentionReference(q.view(), k.view(), v.view(), attention, out.view());
    return out;
  }
  OwnedRows actual() const {
    OwnedRows out(q.count, q.dim, kNan);
    AttentionOperands scratch;
    attentionCpu(q.view(), k.view(), v.view(), attention, scratch, out.view());
    return out;
  }
};

void expectAgreement(const AttentionCase& given) {
  test::expectNear(given.actual().view(), given.expected().view(), test::kVitOperation);
}

TEST(Attention, AgreesWithTheReferenceOnPackedRows) {
  AttentionOperands scratch;  // shared: what an earlier call left must not matter
  for (const test::VitShape& shape : test::vitShapes()) {
    const std::uint32_t seed = 61;
    SCOPED_TRACE(testing::Message() << shape << ", seed " << seed);
    const std::size_t dim = shape.dim;
    PoisonedRows packed(test::normalRows(shape.rows, 3 * dim, seed));
    const Rows qkv = packed.view();
    const ConstRows q(qkv.data, shape.rows, dim, qkv.stride);
    const ConstRows k(qkv.data + dim, shape.rows, dim, qkv.stride);
    const ConstRows v(qkv.data + 2 * dim, shape.rows, dim, qkv.stride);
    const OwnedRows keyWeights = test::normalRows(1, shape.rows, seed + 1);
    for (const float* weights : {static_cast<const float*>(nullptr), keyWeights.data.data()}) {
      const Attention attention{shape.heads, 0.3F, weights};
      OwnedRows expected(shape.rows, dim);
      PoisonedRows actual(shape.rows, dim);
      attentionReference(q, k, v, attention, expected.view());
      attentionCpu(q, k, v, attention, scratch, actual.view());
      test::expectNear(actual.view(), expected.view(), test::kVitOperation);
      actual.expectPoisonUntouched();
    }
  }
}

TEST(Attention, QueriesAndKeysMayDifferInNumber) {
  for (const std::size_t queries : {1, 63, 64, 65}) {
    for (const std::size_t keys : {1, 7, 16, 130}) {
      SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys");
      expectAgreement(AttentionCase(queries, keys, 24, 3, 62));
    }
  }
}

// One key is so far ahead that the others get nothing, or all are equally far out.
TEST(Attention, LogitsOfAnySizeAreStable) {
  for (const float size : {1e3F, 1e10F, 1e15F}) {
    for (const float sign : {-1.0F, 1.0F}) {
      SCOPED_TRACE(testing::Message() << "rows of " << size << " times " << sign);
      AttentionCase given(19, 37, 24, 3, 63);
      for (float& x : given.q.data) x = size;
      for (std::size_t i = 0; i < 37; ++i) {
        const float length = (i == 30 ? 2.0F : 1.0F) * sign * size;
        for (std::size_t c = 0; c < 24; ++c) given.k.row(i)[c] = length;
      }
      expectAgreement(given);
    }
  }
}

TEST(Attention, AnExcludedKeyDoesNotCount) {
  AttentionCase given(18, 21, 24, 3, 64), without = given;
  without.k = OwnedRows(20, 24), without.v = OwnedRows(20, 24);
  for (std::size_t i = 0, kept = 0; i < 21; ++i) {
    if (i == 6) continue;
    std::copy_n(given.k.row(i), 24, without.k.row(kept));
    std::copy_n(given.v.row(i), 24, without.v.row(kept++));
  }
  std::vector<float> weights(21, 0.0F);
  weights[6] = -kInfinity;
  given.attention.keyWeights = weights.data();
  test::expectNear(given.expected().view(), without.expected().view(), 0);
  test::expectNear(given.actual().view(), without.expected().view(), test::kVitOperation);
}

TEST(Attention, WithoutAnyKeyItGivesZeros) {
  AttentionCase given(18, 21, 24, 3, 65);
  const std::vector<float> weights(21, -kInfinity);
  given.attention.keyWeights = weights.data();
  const OwnedRows zeros(18, 24);
  EXPECT_EQ(given.expected().data, zeros.data);
  EXPECT_EQ(given.actual().data, zeros.data);
  given.k = given.v = OwnedRows(0, 24);
  EXPECT_EQ(given.expected().data, zeros.data);
  EXPECT_EQ(given.actual().data, zeros.data);
}

TEST(Attention, ANanShowsWhereTheFormulaHasIt) {
  for (const std::size_t at : {0, 5, 20}) {
    SCOPED_TRACE(at);
    AttentionCase key(18, 21, 24, 3, 66), query = key;
    key.k.row(at)[9] = kNan;  // head 1
    query.q.row(at % 18)[9] = kNan;
    for (const OwnedRows& out : {key.expected(), key.actual()}) {
      for (std::size_t i = 0; i < 18; ++i) {
        EXPECT_FALSE(std::isnan(out.view().row(i)[7]));
        EXPECT_TRUE(std::isnan(out.view().row(i)[8]));
        EXPECT_FALSE(std::isnan(out.view().row(i)[16]));
      }
    }
    for (const OwnedRows& out : {query.expected(), query.actual()}) {
      for (std::size_t i = 0; i < 18; ++i) {
        EXPECT_EQ(std::isnan(out.view().row(i)[8]), i == at % 18);
      }
    }
  }
}

}  // namespace
}  // namespace mpm::vit
