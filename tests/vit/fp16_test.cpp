// SPDX-License-Identifier: Apache-2.0
// Operations whose products are of float16, and the sums of a few dozen of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "tolerances.h"
#include "vit/head_tile_case.h"
#include "vit/in_precision.h"
#include "vit/packed_calls.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/references.h"

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

// product(0) + ... as float16 adds them: rounded behind each, and after 64 float32 takes over.
template <class Product>
float sumInFp16(std::size_t count, const Product& product) {
  constexpr std::size_t kProductsOfASum = 64;
  float total = 0;
  for (std::size_t k = 0; k < count; k += kProductsOfASum) {
    float sum = 0;
    for (std::size_t i = k; i < std::min(k + kProductsOfASum, count); ++i)
      sum = test::roundedToFp16(sum + product(i));
    total += sum;
  }
  return total;
}

// Sums of rows' products, of factors that float16 holds.
float sumInFp16(const float* a, const float* b, std::size_t count) {
  return sumInFp16(count, [&](std::size_t k) { return static_cast<double>(a[k]) * b[k]; });
}

// Whatever the tile: nothing but the order of inputs decides.
TEST_F(Fp16, LinearLayersAreToTheBitWhatFloat16GivesStepByStep) {
  for (const std::size_t rows : {1, 5, 8, 17}) {
    for (const auto& [in, out] : std::vector<std::pair<std::size_t, std::size_t>>{
             {1, 24}, {7, 17}, {64, 16}, {65, 33}, {200, 65}}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, " << in << " to " << out << ", seed 187");
      test::RandomNetwork network(187);
      const LinearWeights weights = network.linear(in, out);
      const OwnedRows x = test::normalRows(rows, in, 188);
      const OwnedRows a = test::asOperands(kFp16, x.view());
      const OwnedRows b = test::asOperands(kFp16, weights.weight);
      OwnedRows expected(rows, out);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < out; ++j) {
          const float bias = weights.bias == nullptr ? 0 : weights.bias[j];
          expected.row(i)[j] = sumInFp16(a.view().row(i), b.view().row(j), in) + bias;
        }
      }
      EXPECT_EQ(linearIn(kFp16, x, weights).data, expected.data);
    }
  }
}

// A head's attention as its kernel says it goes: logits of a chunk of keys, what came before them
// faded by the largest so far, numerators rounded, their products with values.
OwnedRows attentionInFp16(const test::HeadTileCase& given) {
  const std::size_t keys = given.k.count, d = given.q.dim;
  const OwnedRows q = test::asOperands(kFp16, given.q.view(), given.scale() * test::kHeadTileLog2E);
  const OwnedRows k = test::asOperands(kFp16, given.k.view());
  const OwnedRows v = test::asOperands(kFp16, given.v.view());
  OwnedRows out(q.count, d);
  std::vector<double> logits(kChunkKeys), numerators(kChunkKeys);
  for (std::size_t i = 0; i < q.count; ++i) {
    double largest = -1e30, all = 0;
    std::vector<double> values(d, 0.0);
    for (std::size_t first = 0; first < keys; first += kChunkKeys) {
      const std::size_t count = std::min(kChunkKeys, keys - first);
      const double before = largest;
      for (std::size_t j = 0; j < count; ++j) {
        logits[j] = sumInFp16(q.view().row(i), k.view().row(first + j), d);
        largest = std::max(largest, logits[j]);
      }
      all *= std::exp2(before - largest);
      for (std::size_t j = 0; j < count; ++j) {
        all += std::exp2(logits[j] - largest);
        numerators[j] = test::roundedToFp16(std::exp2(logits[j] - largest));
      }
      for (std::size_t c = 0; c < d; ++c) {
        const auto product = [&](std::size_t j) {
          return numerators[j] * v.view().row(first + j)[c];
        };
        values[c] = values[c] * std::exp2(before - largest) + sumInFp16(count, product);
      }
    }
    for (std::size_t c = 0; c < d; ++c) out.row(i)[c] = test::roundedToFp16(values[c] / all);
  }
  return out;
}

TEST_F(Fp16, AttentionIsNearlyWhatFloat16GivesStepByStep) {
  for (const std::size_t keys : {1, 16, 129, 300}) {
    for (const std::size_t d : {48, 80}) {
      SCOPED_TRACE(testing::Message() << keys << " keys, d " << d);
      test::HeadTileCase given(17, keys, d);
      test::expectNear(given.actual(kFp16).view(), attentionInFp16(given).view(), test::kFp16Steps);
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
