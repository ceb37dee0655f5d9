// SPDX-License-Identifier: Apache-2.0
#include "vit/transformer_block.h"

#include <gtest/gtest.h>

#include "tolerances.h"
#include "vit/packed_calls.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;

TEST(TransformerBlock, AgreesWithTheReference) {
  BlockScratch scratch;  // shared: what an earlier call left must not matter
  int kind = 0;
  for (const test::VitShape& shape : test::vitShapes()) {
    const std::uint32_t seed = 71;
    kind = (kind + 1) % 3;
    SCOPED_TRACE(testing::Message() << shape << ", gelu " << kind << ", seed " << seed);
    test::RandomNetwork network(seed);
    const BlockWeights weights = network.block(shape.dim, shape.heads, static_cast<Gelu>(kind));
    const float* keyWeights = kind == 0 ? network.vector(shape.rows, 0, 1) : nullptr;
    OwnedRows expected = test::normalRows(shape.rows, shape.dim, seed + 100);
    PoisonedRows actual(expected);
    transformerBlockReference(expected.view(), weights, keyWeights);
    transformerBlockCpu(actual.view(), weights, keyWeights, scratch);
    test::expectNear(actual.view(), expected.view(), test::kVitNetwork);
    actual.expectPoisonUntouched();
  }
}

TEST(TransformerBlock, BiasesScalesAndNormWeightsAreOptional) {
  test::RandomNetwork network(72);
  const BlockWeights weights = network.block(24, 3, Gelu::erf, /*bare=*/true);
  OwnedRows expected = test::normalRows(33, 24, 73), actual = expected;
  BlockScratch scratch;
  transformerBlockReference(expected.view(), weights, nullptr);
  transformerBlockCpu(actual.view(), weights, nullptr, scratch);
  test::expectNear(actual.view(), expected.view(), test::kVitNetwork);
}

// Some models have heads that do not add up to D.
TEST(TransformerBlock, AttentionMayBeNarrowerThanTheRows) {
  test::RandomNetwork network(74);
  BlockWeights weights = network.block(24, 2, Gelu::tanh);
  weights.qkv = network.linear(24, 3 * 10);
  weights.proj = network.linear(10, 24);
  OwnedRows expected = test::normalRows(33, 24, 75), actual = expected;
  BlockScratch scratch;
  transformerBlockReference(expected.view(), weights, nullptr);
  transformerBlockCpu(actual.view(), weights, nullptr, scratch);
  test::expectNear(actual.view(), expected.view(), test::kVitNetwork);
}

TEST(TransformerBlock, TheResultMayStandInPlaceOrNot) {
  test::RandomNetwork network(78);
  const PackedBlock block(network.block(24, 3, Gelu::erf), Precision::fp32);
  BlockScratch scratch;
  for (const std::size_t rows : {1, 33, 130}) {
    OwnedRows inPlace = test::normalRows(rows, 24, 79);
    PoisonedRows in(inPlace), out(rows, 24);
    transformerBlockCpu(inPlace.view(), block, nullptr, scratch, inPlace.view());
    transformerBlockCpu(in.view(), block, nullptr, scratch, out.view());
    test::expectNear(out.view(), inPlace.view(), 0);
    test::expectNear(in.view(), test::normalRows(rows, 24, 79).view(), 0);  // only read
    out.expectPoisonUntouched();
  }
}

TEST(TransformerBlock, NoRowsAreNoWork) {
  test::RandomNetwork network(76);
  BlockScratch scratch;
  transformerBlockCpu({nullptr, 0, 24}, network.block(24, 3, Gelu::erf), nullptr, scratch);
}

}  // namespace
}  // namespace mpm::vit
