// SPDX-License-Identifier: Apache-2.0
// A head's attention where keys are excluded, or logits are no numbers or large.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "vit/head_tile_case.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using Case = test::HeadTileCase;
constexpr std::uint32_t kSeed = test::kHeadTileSeed;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = test::kNoNumber;

class HeadTileEdges : public test::HeadTileTest {};

TEST_P(HeadTileEdges, ExcludesKeys) {
  for (const std::size_t keys : {2, 129, 301}) {
    for (const std::size_t first : {std::size_t{0}, keys / 2, keys - 1}) {
      SCOPED_TRACE(testing::Message() << keys << " keys, all from " << first << " on out");
      for (const bool from : {false, true}) {  // those before `first` are out, or those from it on
        Case given(13, keys, 48);
        given.keyWeights.assign(keys, 0.5F);
        std::fill(given.keyWeights.begin() + (from ? static_cast<std::ptrdiff_t>(first) : 0),
                  from ? given.keyWeights.end()
                       : given.keyWeights.begin() + static_cast<std::ptrdiff_t>(first),
                  -kInfinity);
        expectAgreement(given);
      }
    }
  }
}

// However large it is, as long as it is finite: float16 has no numbers beyond 65504.
TEST_P(HeadTileEdges, TheValueOfAnExcludedKeyDoesNotCount) {
  const bool isHalf = values() == Precision::fp16;
  for (const float value : isHalf ? std::vector{6e4F, -65504.0F} : std::vector{1e20F, -3e38F}) {
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

TEST_P(HeadTileEdges, WithoutAnyKeyItGivesZeros) {
  for (const std::size_t keys : {0, 1, 129}) {
    for (const std::size_t queries : {1, 17, 48}) {
      SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys, all out");
      Case given(queries, keys, 80);
      given.keyWeights.assign(keys, -kInfinity);
      EXPECT_EQ(given.actual(GetParam()).data, OwnedRows(queries, 80).data);
    }
  }
}

TEST_P(HeadTileEdges, ANanStaysInItsQuery) {
  for (const std::size_t query : {0, 5, 17}) {
    SCOPED_TRACE(testing::Message() << "query " << query << ", seed " << kSeed);
    Case given(18, 131, 32);
    given.q.row(query)[9] = kNan;
    expectSameNans(given);
  }
}

TEST_P(HeadTileEdges, ANanOfAKeyIsInEveryQuery) {
  for (const std::size_t key : {0, 5, 127, 128, 130}) {
    SCOPED_TRACE(testing::Message() << "key " << key << ", seed " << kSeed);
    Case given(18, 131, 32);
    given.k.row(key)[9] = kNan;
    expectSameNans(given);
    given = Case(18, 131, 32);
    given.keyWeights.assign(131, -kInfinity);
    given.keyWeights[key] = kNan;
    expectSameNans(given);
  }
}

// Minus infinity is as good as excluded; plus infinity is as the formula has it: no number. In int8
// a key with either is no number.
TEST_P(HeadTileEdges, InfiniteLogitsAreAsTheFormulaHasThem) {
  for (const std::size_t key : {0, 5, 127, 128, 130}) {
    for (const float size : {-kInfinity, kInfinity}) {
      SCOPED_TRACE(testing::Message() << size << " at key " << key << ", seed " << kSeed);
      Case given(18, 131, 32);
      for (std::size_t i = 0; i < 18; ++i) given.q.row(i)[3] = i % 2 == 0 ? 1.0F : -1.0F;
      given.k.row(key)[3] = size;
      expectSameNans(given);
    }
  }
}

// One key is so far ahead that the others get nothing, or all are equally far out.
TEST_P(HeadTileEdges, LogitsOfAnySizeAreStable) {
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

MPM_IN_EACH_PRECISION(HeadTileEdges);

}  // namespace
}  // namespace mpm::vit
