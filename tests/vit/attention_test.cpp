// SPDX-License-Identifier: Apache-2.0
// Attention against the reference on the operands as the precision holds them: a head's tile of
// queries in each precision, and all heads of a network's rows.
#include "vit/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tolerances.h"
#include "vit/head_tile_case.h"
#include "vit/packed_calls.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;
using Case = test::HeadTileCase;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = test::kNoNumber;
constexpr std::size_t kKeys[] = {1, 2, 3, 7, 16, 127, 128, 129, 300, 301};
constexpr std::size_t kPlaces[] = {0, 5, 127, 128, 130};  // of 131 keys

class HeadTileTest : public test::InPrecision {
 protected:
  static bool isHalf() { return unquantised(GetParam()) == Precision::fp16; }
  static double tolerance() {
    return isHalf()                                     ? test::kFp16Attention
           : unquantised(GetParam()) == Precision::bf16 ? test::kBf16Attention
                                                        : test::kVitOperation;
  }
  /// NaN where the reference has it, near it elsewhere.
  static void expectAgreement(Case& given) {
    OwnedRows actual = given.actual(GetParam()), expected = given.expected(GetParam());
    for (std::size_t i = 0; i < actual.data.size(); ++i) {
      ASSERT_EQ(std::isnan(actual.data[i]), std::isnan(expected.data[i])) << "value " << i;
      if (std::isnan(actual.data[i])) actual.data[i] = expected.data[i] = 0;
    }
    test::expectNear(actual.view(), expected.view(), tolerance());
  }
  static void expectAgreement(std::size_t queries, std::size_t keys, std::size_t d,
                              bool isWeighted = false) {
    SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys, d " << d
                                    << ", seed " << test::kHeadTileSeed);
    Case given(queries, keys, d);
    if (isWeighted) given.keyWeights = test::normalRows(1, keys, test::kHeadTileSeed + 3).data;
    expectAgreement(given);
  }
};

TEST_P(HeadTileTest, AgreesOnEveryNumberOfQueriesAndSizeOfHead) {
  for (std::size_t queries = 1; queries <= kTileRows; ++queries) {
    for (const std::size_t keys : {5, 129}) expectAgreement(queries, keys, 32);
  }
  for (const std::size_t keys : kKeys) {
    expectAgreement(13, keys, 48, true);
    for (const std::size_t d : {16, 32, 48, 64, 80}) {
      for (const std::size_t queries : {1, 6, 17, 48}) expectAgreement(queries, keys, d);
    }
  }
}

TEST_P(HeadTileTest, ExcludesKeys) {
  for (const std::size_t keys : {2, 129, 301}) {
    for (const std::size_t first : {std::size_t{0}, keys / 2, keys - 1}) {
      for (const bool from : {false, true}) {  // those before `first` are out, or those from it on
        SCOPED_TRACE(testing::Message() << keys << " keys, " << (from ? "from " : "to ") << first);
        Case given(13, keys, 48);
        for (std::size_t key = 0; key < keys; ++key)
          given.keyWeights.push_back((key >= first) == from ? -kInfinity : 0.5F);
        expectAgreement(given);
      }
    }
  }
  for (const std::size_t keys : {0, 1, 129}) {  // without any key it gives zeros
    for (const std::size_t queries : {1, 17, 48}) {
      SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys, all out");
      Case given(queries, keys, 80);
      given.keyWeights.assign(keys, -kInfinity);
      EXPECT_EQ(given.actual(GetParam()).data, OwnedRows(queries, 80).data);
    }
  }
}

// However large it is, as long as it is finite: float16 has no numbers beyond 65504.
TEST_P(HeadTileTest, TheValueOfAnExcludedKeyDoesNotCount) {
  for (const float value : isHalf() ? std::vector{6e4F, -65504.0F} : std::vector{1e20F, -3e38F}) {
    for (const std::size_t excluded : {0, 77, 150}) {
      SCOPED_TRACE(testing::Message() << "value " << value << " of key " << excluded);
      Case given(13, 151, 16);
      given.keyWeights.assign(151, 0.0F);
      given.keyWeights[excluded] = -kInfinity;
      std::fill_n(given.v.row(excluded), 16, value);
      expectAgreement(given);
    }
  }
}

TEST_P(HeadTileTest, ANanStaysInItsQueryAndOfAKeyIsInAll) {
  for (const std::size_t query : {0, 5, 17}) {
    SCOPED_TRACE(testing::Message() << "query " << query);
    Case given(18, 131, 32);
    given.q.row(query)[9] = kNan;
    expectAgreement(given);
  }
  for (const std::size_t key : kPlaces) {
    SCOPED_TRACE(testing::Message() << "key " << key);
    Case given(18, 131, 32);
    given.k.row(key)[9] = kNan;
    expectAgreement(given);
    given = Case(18, 131, 32);
    given.keyWeights.assign(131, -kInfinity);
    given.keyWeights[key] = kNan;
    expectAgreement(given);
  }
}

// Minus infinity is as good as excluded; plus infinity is as the formula has it: no number. In int8
// a key with either is no number.
TEST_P(HeadTileTest, InfiniteLogitsAreAsTheFormulaHasThem) {
  for (const std::size_t key : kPlaces) {
    for (const float size : {-kInfinity, kInfinity}) {
      SCOPED_TRACE(testing::Message() << size << " at key " << key);
      Case given(18, 131, 32);
      for (std::size_t i = 0; i < 18; ++i) given.q.row(i)[3] = i % 2 == 0 ? 1.0F : -1.0F;
      given.k.row(key)[3] = size;
      expectAgreement(given);
    }
  }
}

// One key is so far ahead that the others get nothing, or all are equally far out.
TEST_P(HeadTileTest, LogitsOfAnySizeAreStable) {
  for (const float size : isFp16() ? std::vector{1e1F, 3e1F} : std::vector{1e3F, 1e10F, 1e15F}) {
    for (const float sign : {-1.0F, 1.0F}) {
      for (const std::size_t ahead : {0, 30, 128, 140}) {
        SCOPED_TRACE(testing::Message() << "key " << ahead << " of " << size << " times " << sign);
        Case given(19, 141, 32);
        for (float& x : given.q.data) x = size;
        for (std::size_t i = 0; i < 141; ++i) {
          std::fill_n(given.k.row(i), 32, (i == ahead ? 2.0F : 1.0F) * sign * size);
        }
        expectAgreement(given);
      }
    }
  }
}

MPM_IN_EACH_PRECISION(HeadTileTest);

// ---- All heads ------------------------------------------------------------------------------

class AttentionTest : public testing::Test {
 protected:
  void expectAgreement(ConstRows q, ConstRows k, ConstRows v, const Attention& attention) {
    OwnedRows expected(q.count, q.dim);
    PoisonedRows actual(q.count, q.dim);
    attentionReference(q, k, v, attention, expected.view());
    attentionCpu(q, k, v, attention, scratch, actual.view());
    test::expectNear(actual.view(), expected.view(), test::kVitOperation);
    actual.expectPoisonUntouched();
  }
  AttentionOperands scratch;  // shared: what an earlier call left must not matter
};

TEST_F(AttentionTest, AgreesWithTheReferenceOnPackedRows) {
  for (const test::VitShape& shape : test::vitShapes()) {
    SCOPED_TRACE(testing::Message() << shape << ", seed 61");
    const std::size_t dim = shape.dim;
    PoisonedRows packed(test::normalRows(shape.rows, 3 * dim, 61));
    const Rows qkv = packed.view();
    const OwnedRows keyWeights = test::normalRows(1, shape.rows, 62);
    for (const float* weights : {static_cast<const float*>(nullptr), keyWeights.data.data()}) {
      expectAgreement(
          {qkv.data, shape.rows, dim, qkv.stride}, {qkv.data + dim, shape.rows, dim, qkv.stride},
          {qkv.data + 2 * dim, shape.rows, dim, qkv.stride}, {shape.heads, 0.3F, weights});
    }
  }
  for (const std::size_t queries : {1, 63, 64, 65}) {
    for (const std::size_t keys : {0, 1, 7, 16, 130}) {
      SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys");
      const OwnedRows v = test::normalRows(keys, 24, 64);
      expectAgreement(test::normalRows(queries, 24, 62).view(),
                      test::normalRows(keys, 24, 63).view(), v.view(), {3, 0.35F});
    }
  }
}

// What the reference says of an excluded key, and where a NaN shows: in its head alone.
TEST_F(AttentionTest, AnExcludedKeyDoesNotCountAndANanStaysInItsHead) {
  const OwnedRows q = test::normalRows(18, 24, 64), k = test::normalRows(21, 24, 65);
  const OwnedRows v = test::normalRows(21, 24, 66);
  std::vector<float> weights(21, 0.0F);
  weights[20] = -kInfinity;
  const Attention with{3, 0.35F, weights.data()}, plain{3, 0.35F};
  OwnedRows excluded(18, 24), without(18, 24);
  attentionReference(q.view(), k.view(), v.view(), with, excluded.view());
  attentionReference(q.view(), {k.data.data(), 20, 24}, {v.data.data(), 20, 24}, plain,
                     without.view());
  EXPECT_EQ(excluded.data, without.data);
  expectAgreement(q.view(), k.view(), v.view(), with);
  for (const std::size_t at : {0, 5, 20}) {
    for (const bool isKey : {true, false}) {
      SCOPED_TRACE(testing::Message() << (isKey ? "key " : "query ") << at);
      OwnedRows badQ = q, badK = k, out(18, 24);
      (isKey ? badK.row(at) : badQ.row(at % 18))[9] = kNan;  // head 1
      attentionCpu(badQ.view(), badK.view(), v.view(), plain, scratch, out.view());
      for (std::size_t i = 0; i < 18; ++i) {
        EXPECT_FALSE(std::isnan(out.row(i)[7]));
        EXPECT_EQ(std::isnan(out.row(i)[8]), isKey || i == at % 18);
        EXPECT_FALSE(std::isnan(out.row(i)[16]));
      }
    }
  }
}

}  // namespace
}  // namespace mpm::vit
