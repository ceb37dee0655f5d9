// SPDX-License-Identifier: Apache-2.0
// Operations whose products are of float16, and the sums of a few dozen of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tolerances.h"
#include "vit/in_precision.h"
#include "vit/packed_calls.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/references.h"
#include "vit/shapes.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;

constexpr Precision kFp16 = Precision::fp16;

class Fp16 : public testing::Test {
 protected:
  void SetUp() override {
    if (!hasFp16()) GTEST_SKIP() << "this processor has no float16 products";
  }
};

OwnedRows linearIn(Precision precision, const OwnedRows& x, const LinearWeights& weights) {
  OwnedRows out(x.count, weights.weight.count);
  linearCpu(x.view(), weights, out.view(), precision);
  return out;
}

TEST_F(Fp16, LinearLayers) {
  for (const std::size_t rows : {1, 2, 7, 8, 9, 48, 197}) {
    for (const auto& [in, out] : std::vector<std::pair<std::size_t, std::size_t>>{
             {1, 24}, {17, 385}, {64, 16}, {192, 192}, {3072, 24}}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, " << in << " to " << out << ", seed 181");
      test::RandomNetwork network(181);
      const LinearWeights weights = network.linear(in, out);
      PoisonedRows x(test::normalRows(rows, in, 182)), actual(rows, out);
      linearCpu(x.view(), weights, actual.view(), kFp16);
      OwnedRows expected(rows, out);
      linearReference(test::asOperands(kFp16, x.view()).view(),
                      {test::asOperands(kFp16, weights.weight).view(), weights.bias},
                      expected.view());
      test::expectNear(actual.view(), expected.view(), test::kFp16Sums);
      actual.expectPoisonUntouched();
    }
  }
}

// Sums of the same size, one behind the other: what is lost does not grow with their number, since
// float32 takes over.
TEST_F(Fp16, LongSumsLoseNoMoreThanShortOnes) {
  for (const std::size_t inputs : {64, 4096}) {
    const OwnedRows x(3, inputs, 1.0F), weight(16, inputs, 0.75F);
    const OwnedRows out = linearIn(kFp16, x, {weight.view(), nullptr});
    for (const float value : out.data) EXPECT_EQ(value, 0.75F * static_cast<float>(inputs));
  }
}

TEST_F(Fp16, TransformerBlocksAreNearThoseOfFloat32) {
  BlockScratch scratch;
  int kind = 0;
  for (const test::VitShape& shape : test::vitShapes()) {
    kind = (kind + 1) % 3;
    SCOPED_TRACE(testing::Message() << shape << ", gelu " << kind << ", seed 183");
    test::RandomNetwork network(183);
    const BlockWeights weights =
        network.block(shape.dim, shape.heads, static_cast<Gelu>(kind), shape.rows == 17);
    const float* keyWeights = kind == 0 ? network.vector(shape.rows, 0, 1) : nullptr;
    OwnedRows expected = test::normalRows(shape.rows, shape.dim, 184);
    PoisonedRows actual(expected);
    transformerBlockReference(expected.view(), weights, keyWeights);
    transformerBlockCpu(actual.view(), weights, keyWeights, scratch, kFp16);
    test::expectNear(actual.view(), expected.view(), test::kFp16Block);
    actual.expectPoisonUntouched();
  }
}

// The tests above would pass on float32 too: it is float16 that computes.
TEST_F(Fp16, IsNotFloat32) {
  test::RandomNetwork network(185);
  const LinearWeights weights = network.linear(192, 24);
  const OwnedRows x = test::normalRows(9, 192, 186);
  const OwnedRows fp32 = linearIn(Precision::fp32, x, weights), fp16 = linearIn(kFp16, x, weights);
  double largest = 0;
  for (std::size_t i = 0; i < fp32.data.size(); ++i)
    largest = std::max<double>(largest, std::abs(fp32.data[i] - fp16.data[i]));
  EXPECT_GT(largest, 1e-5);
  EXPECT_LT(largest, 2e-2);
}

}  // namespace
}  // namespace mpm::vit
