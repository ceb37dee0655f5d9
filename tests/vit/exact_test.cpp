// SPDX-License-Identifier: Apache-2.0
// Products and attention in float16 and int8: to the bit what these numbers give step by step,
// whatever the instruction set and the number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "processor/pool.h"
#include "tolerances.h"
#include "vit/head_tile_case.h"
#include "vit/in_precision.h"
#include "vit/packed_calls.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;

constexpr Precision kFp16 = Precision::fp16, kInt8 = Precision::int8;

// ---- float16 ------------------------------------------------------------------------------------

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

// ---- int8 ---------------------------------------------------------------------------------------

// Integers, times the row's scale, times the output's, plus bias: each rounded once.
OwnedRows expectedOf(ConstRows x, const LinearWeights& weights) {
  const test::QuantisedRows left = test::quantisedRows(x);
  const test::QuantisedRows right = test::quantisedRows(weights.weight);
  OwnedRows out(left.count, right.count);
  for (std::size_t i = 0; i < left.count; ++i) {
    for (std::size_t j = 0; j < right.count; ++j) {
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < left.dim; ++k) {
        sum += std::int64_t{left.values[i * left.dim + k]} * right.values[j * left.dim + k];
      }
      const float scaled = static_cast<float>(sum) * left.scales[i];
      const float bias = weights.bias == nullptr ? 0 : weights.bias[j];
      out.row(i)[j] = scaled * right.scales[j] + bias;
    }
  }
  return out;
}

// A product of one table's kernels, its right factor laid out as the contract says.
OwnedRows productOf(const Kernels& kernel, ConstRows x, const LinearWeights& weights) {
  const test::QuantisedRows right = test::quantisedRows(weights.weight);
  const std::size_t inputs = x.dim, outputs = right.count, columns = padded(outputs);
  const std::size_t units = kernel.operandUnits(inputs), panel = kernel.panelColumns;
  std::vector<Unit> packed(columns * units), left(x.count * kernel.operandStride(inputs));
  std::vector<float> scales(columns), bias(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    const std::size_t first = j / panel * panel, width = std::min(panel, columns - first);
    for (std::size_t k = 0; k < units; ++k) {
      Unit unit{};
      const std::size_t bits = 32 / kernel.operandValues;
      for (std::size_t i = 0; i < kernel.operandValues && j < outputs; ++i) {
        const std::size_t at = k * kernel.operandValues + i;
        const std::uint32_t value = at < inputs ? right.values[j * inputs + at] : 0;
        unit.whole |= static_cast<std::int32_t>((value & ((1U << bits) - 1)) << (bits * i));
      }
      unit.whole ^= kernel.weightFlip;
      packed[first * units + k * width + (j - first)] = unit;
    }
    if (j < outputs) scales[j] = right.scales[j];
    if (j < outputs && weights.bias != nullptr) bias[j] = weights.bias[j];
  }
  kernel.toOperands(x, 1, left.data(), kernel.operandStride(inputs));
  OwnedRows out(x.count, outputs);
  Finish finish;
  finish.bias = bias.data();
  finish.rows = out.data.data();
  finish.stride = outputs;
  kernel.multiply({left.data(),
                   kernel.operandStride(inputs),
                   x.count,
                   {packed.data(), inputs, outputs, scales.data()},
                   0,
                   inputs,
                   0,
                   outputs},
                  finish);
  return out;
}

// Products of int8 by x86's own instruction, without it, and as `kernels` takes them: Arm's own.
void expectInEachTable(ConstRows x, const LinearWeights& weights) {
  const OwnedRows expected = expectedOf(x, weights);
  EXPECT_EQ(productOf(int8KernelsBesideFp32(false), x, weights).data, expected.data) << "plain";
  EXPECT_EQ(productOf(int8KernelsBesideFp32(true), x, weights).data, expected.data) << "VNNI";
  EXPECT_EQ(productOf(kernels(kInt8), x, weights).data, expected.data) << "as `kernels` has it";
}

TEST(Int8, ProductsAreThoseOfPlainIntegersToTheBit) {
  for (const std::size_t rows : {1, 2, 5, 6, 7, 8, 13}) {
    for (const std::size_t inputs : {1, 2, 3, 4, 5, 16, 17, 63, 192}) {
      for (const std::size_t outputs : {1, 8, 16, 17, 33, 64, 65, 193}) {
        SCOPED_TRACE(testing::Message()
                     << rows << " rows, " << inputs << " to " << outputs << ", seed 161");
        test::RandomNetwork network(161);
        const LinearWeights weights = network.linear(inputs, outputs);
        expectInEachTable(test::normalRows(rows, inputs, 162).view(), weights);
      }
    }
  }
}

// Every product is 127 times 127: sums of two of them leave 16 bits where they have no sign.
TEST(Int8, TheLargestSumsDoNotSaturate) {
  for (const float a : {1.0F, -1.0F}) {
    for (const float b : {1.0F, -1.0F}) {
      const OwnedRows x(7, 3072, a), weight(65, 3072, b);
      expectInEachTable(x.view(), {weight.view(), nullptr});
    }
  }
  const OwnedRows x = test::signRows(7, 3072, 163), weight = test::signRows(65, 3072, 164);
  expectInEachTable(x.view(), {weight.view(), nullptr});
}

// What a head's attention makes of such sums is near the reference (HeadTileSizes), to less than
// one more or less in a sum would show.
TEST(Int8, AttentionIsTheSameToTheBitWithAndWithoutDotProducts) {
  for (const std::size_t queries : {1, 6, 17, 48}) {
    for (const std::size_t keys : {1, 7, 129}) {
      for (const std::size_t d : {16, 48, 64, 80}) {
        SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys, d " << d
                                        << ", seed " << test::kHeadTileSeed);
        test::HeadTileCase given(queries, keys, d);
        given.keyWeights = test::normalRows(1, keys, 178).data;
        const OwnedRows plain = given.actual(int8KernelsBesideFp32(false));
        EXPECT_EQ(given.actual(int8KernelsBesideFp32(true)).data, plain.data);
      }
    }
  }
}

// As of linear layers: every product is 127 times 127, or its opposite.
TEST(Int8, TheLargestLogitsDoNotSaturate) {
  test::HeadTileCase given(48, 129, 80);
  given.q = test::signRows(48, 80, 179);
  given.k = test::signRows(129, 80, 180);
  for (const std::size_t equal : {0, 1}) {
    std::copy_n(given.q.row(0), 80, given.k.row(equal));
    for (std::size_t i = 0; i < 80 && equal == 1; ++i) given.k.row(1)[i] *= -1;
  }
  const OwnedRows expected = given.expected(kInt8);
  test::expectNear(given.actual(kernels(kInt8)).view(), expected.view(), test::kBf16Attention);
  const OwnedRows plain = given.actual(int8KernelsBesideFp32(false));
  EXPECT_EQ(given.actual(int8KernelsBesideFp32(true)).data, plain.data);
  test::expectNear(plain.view(), expected.view(), test::kBf16Attention);
}

TEST(Int8, LinearLayersAreTheSameToTheBitOnAnyNumberOfThreads) {
  for (const int threads : {1, 3}) {
    processor::setThreadCount(threads);
    for (const std::size_t rows : {1, 48, 197}) {
      for (const auto& [in, out] :
           std::vector<std::pair<std::size_t, std::size_t>>{{17, 385}, {192, 192}, {768, 24}}) {
        SCOPED_TRACE(testing::Message() << rows << " rows, " << in << " to " << out << ", "
                                        << threads << " threads, seed 165");
        test::RandomNetwork network(165);
        const LinearWeights weights = network.linear(in, out);
        PoisonedRows x(test::normalRows(rows, in, 166)), actual(rows, out);
        linearCpu(x.view(), weights, actual.view(), kInt8);
        test::expectNear(actual.view(), expectedOf(x.view(), weights).view(), 0);
        actual.expectPoisonUntouched();
      }
    }
  }
  processor::setThreadCount(0);
}

// As in float32, where NaN spreads along its row alone.
TEST(Int8, ARowThatIsNotFiniteIsNaNAndNoOther) {
  test::RandomNetwork network(169);
  const LinearWeights weights = network.linear(48, 20);
  OwnedRows x = test::normalRows(6, 48, 170);
  x.row(1)[47] = std::numeric_limits<float>::quiet_NaN();
  x.row(3)[0] = -std::numeric_limits<float>::infinity();
  std::fill_n(x.row(4), 48, 0.0F);
  std::fill_n(x.row(5), 48, 1e-40F);
  OwnedRows out(6, 20);
  linearCpu(x.view(), weights, out.view(), kInt8);
  for (std::size_t j = 0; j < 20; ++j) {
    EXPECT_TRUE(std::isfinite(out.row(0)[j]) && std::isfinite(out.row(2)[j]));
    EXPECT_TRUE(std::isnan(out.row(1)[j]) && std::isnan(out.row(3)[j]));
    EXPECT_EQ(out.row(4)[j], weights.bias[j]);
    EXPECT_EQ(out.row(5)[j], weights.bias[j]);
  }
}

TEST(Int8, RowsOfAnySizeKeepTheirPrecision) {
  test::RandomNetwork network(171);
  const LinearWeights weights{network.linear(64, 20).weight, nullptr};
  OwnedRows x = test::normalRows(2, 64, 172), out(2, 20);
  for (std::size_t k = 0; k < 64; ++k) {
    x.row(1)[k] = x.row(0)[k] * 0x1p-80F;
    x.row(0)[k] *= 0x1p80F;
  }
  linearCpu(x.view(), weights, out.view(), kInt8);
  for (std::size_t j = 0; j < 20; ++j) {
    EXPECT_NE(out.row(1)[j], 0);
    EXPECT_EQ(out.row(0)[j], out.row(1)[j] * 0x1p80F * 0x1p80F);
  }
}

// Where a processor multiplies pairs it is half.
TEST(Int8, WeightsTakeAQuarterOfTheMemory) {
  const OwnedRows weight = test::normalRows(768, 768, 177);
  const auto bytes = [&](Precision precision) {
    return static_cast<double>(PackedMatrix(weight.view(), Layout::outByIn, precision).bytes());
  };
  const double share = 1.0 / static_cast<double>(kernels(kInt8).operandValues);
  EXPECT_LE(bytes(kInt8), (share + 0.01) * bytes(Precision::fp32));
}

TEST(Int8, SumsThatMayNotFitAreRefused) {
  const OwnedRows weight(1, kMostInt8Inputs + 1);
  EXPECT_THROW(PackedMatrix(weight.view(), Layout::outByIn, kInt8), std::invalid_argument);
}

}  // namespace
}  // namespace mpm::vit
