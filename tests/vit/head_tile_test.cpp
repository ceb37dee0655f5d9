// SPDX-License-Identifier: Apache-2.0
// A head's attention for a tile of queries, against the reference on the operands as the precision
// holds them.
#include <gtest/gtest.h>

#include "vit/head_tile_case.h"

namespace mpm::vit {
namespace {

using Case = test::HeadTileCase;
constexpr std::uint32_t kSeed = test::kHeadTileSeed;

class HeadTileSizes : public test::HeadTileTest {};

constexpr std::size_t kKeys[] = {1, 2, 3, 7, 16, 127, 128, 129, 300, 301};

TEST_P(HeadTileSizes, AgreesOnEveryNumberOfQueries) {
  for (std::size_t queries = 1; queries <= kTileRows; ++queries) {
    for (const std::size_t keys : {5, 129}) {
      SCOPED_TRACE(testing::Message()
                   << queries << " queries, " << keys << " keys, seed " << kSeed);
      Case given(queries, keys, 32);
      expectAgreement(given);
    }
  }
}

TEST_P(HeadTileSizes, AgreesOnEverySizeOfHead) {
  for (const std::size_t d : {16, 32, 48, 64, 80}) {
    for (const std::size_t keys : kKeys) {
      for (const std::size_t queries : {1, 6, 17, 48}) {
        SCOPED_TRACE(testing::Message()
                     << queries << " queries, " << keys << " keys, d " << d << ", seed " << kSeed);
        Case given(queries, keys, d);
        expectAgreement(given);
      }
    }
  }
}

TEST_P(HeadTileSizes, WeighsKeys) {
  for (const std::size_t keys : kKeys) {
    SCOPED_TRACE(testing::Message() << keys << " keys, seed " << kSeed);
    Case given(13, keys, 48);
    given.keyWeights = test::normalRows(1, keys, kSeed + 3).data;
    expectAgreement(given);
  }
}

MPM_IN_EACH_PRECISION(HeadTileSizes);

}  // namespace
}  // namespace mpm::vit
