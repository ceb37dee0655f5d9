// SPDX-License-Identifier: Apache-2.0
// Blocks with outliers: a few features a hundred times larger than the others, as large networks
// have them, and weights as much smaller.
#include "vit/smooth_block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tolerances.h"
#include "vit/in_precision.h"
#include "vit/packed_calls.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;

constexpr std::size_t kDim = 192, kRows = 60;

// A block whose weights can be changed, in the random one's place.
struct OwnBlock {
  explicit OwnBlock(std::uint32_t seed) : network(seed) {
    block = network.block(kDim, 3, Gelu::erf);
  }
  float* writable(const float* values) { return const_cast<float*>(values); }  // the network's own

  // Features 5, 70 and 151 of both norms, and of the values, are 128 times larger.
  void plantOutliers() {
    for (const std::size_t k : {5, 70, 151}) {
      for (NormWeights* norm : {&block.norm1, &block.norm2}) {
        writable(norm->scale)[k] *= 128;
        writable(norm->shift)[k] *= 128;
      }
      for (LinearWeights* linear : {&block.qkv, &block.fc1}) {
        for (std::size_t i = 0; i < linear->weight.count; ++i)
          writable(linear->weight.row(i))[k] /= 128;
      }
      for (std::size_t i = 0; i < kDim; ++i) {
        writable(block.qkv.weight.row(2 * kDim + k))[i] *= 128;
        writable(block.proj.weight.row(i))[k] /= 128;
      }
      writable(block.qkv.bias)[2 * kDim + k] *= 128;
    }
  }

  OwnedRows in(Precision precision, ConstRows x) const {
    OwnedRows out(x.count, x.dim);
    BlockScratch scratch;
    transformerBlockCpu(x, PackedBlock(block, precision), nullptr, scratch, out.view());
    return out;
  }

  test::RandomNetwork network;
  BlockWeights block;
};

double rootOfMeanSquare(const OwnedRows& a, const OwnedRows& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    const double apart = static_cast<double>(a.data[i]) - b.data[i];
    sum += apart * apart;
  }
  return std::sqrt(sum / static_cast<double>(a.data.size()));
}

// As programs measure them: on rows that go through the block.
struct Measured {
  Measured(const BlockWeights& block, ConstRows x) : given(block) {
    const PackedBlock exact(block, Precision::fp32);
    OwnedRows between(x.count, x.dim), normalized(x.count, x.dim);
    BlockScratch scratch;
    transformerBlockCpu(x, packedUpToNorm2(block), nullptr, scratch, between.view());
    normalizeRows(x, block.norm1, normalized.view());
    ranges.norm1.add(normalized.view());
    normalizeRows(between.view(), block.norm2, normalized.view());
    ranges.norm2.add(normalized.view());
    first = ranges.norm1.values();
    second = ranges.norm2.values();
    given.ranges1 = {first.data(), first.data() + x.dim, first.data() + 2 * x.dim};
    given.ranges2 = {second.data(), second.data() + x.dim, second.data() + 2 * x.dim};
  }

  BlockWeights given;
  BlockRanges ranges;
  std::vector<float> first, second;
};

TEST(SmoothBlock, ComputesTheSameWithMeasuredRangesOrWithout) {
  for (const bool bare : {false, true}) {
    test::RandomNetwork network(191);
    const BlockWeights block = network.block(kDim, 3, Gelu::erf, bare);
    const OwnedRows x = test::normalRows(kRows, kDim, 192);
    const Measured measured(block, x.view());
    OwnedRows expected = x;
    transformerBlockReference(expected.view(), block, nullptr);
    for (const BlockWeights& given : {block, measured.given}) {
      const SmoothBlock smooth(given);
      OwnedRows actual = x;
      transformerBlockReference(actual.view(), smooth.weights(), nullptr);
      test::expectNear(actual.view(), expected.view(), test::kVitNetwork);
    }
  }
}

// Features of the residual stream that are far from zero in every row, as large networks have
// them: no weight shows them.
TEST(SmoothBlock, MeasuredRangesTakeOutWhatNoWeightShows) {
  OwnedRows x = test::normalRows(kRows, kDim, 194);
  const OwnBlock own(193);
  const auto lossOf = [&](const BlockWeights& block) {
    BlockScratch scratch;
    OwnedRows exact(kRows, kDim), int8(kRows, kDim);
    transformerBlockCpu(x.view(), PackedBlock(block, Precision::fp32), nullptr, scratch,
                        exact.view());
    transformerBlockCpu(x.view(), PackedBlock(block, Precision::int8), nullptr, scratch,
                        int8.view());
    return rootOfMeanSquare(int8, exact);
  };
  for (std::size_t i = 0; i < kRows; ++i) {
    for (const std::size_t k : {5, 70, 151}) x.row(i)[k] += 60;
  }
  const double without = lossOf(own.block), with = lossOf(Measured(own.block, x.view()).given);
  EXPECT_LT(with, without / 2);
}

TEST(FeatureRanges, AreThoseOfAllRowsThatWereAdded) {
  FeatureRanges ranges;
  EXPECT_EQ(ranges.values(), std::vector<float>{});
  const std::vector<float> some = {1, 10, 3, 10}, more = {5, 10, -1, 10};
  ranges.add({some.data(), 2, 2});
  ranges.add({more.data(), 2, 2});
  const std::vector<float> values = ranges.values();
  EXPECT_EQ(values, (std::vector<float>{2, 10, std::sqrt(5.0F), 0, 3, 0}));
}

// What int8 loses is what it lost before.
TEST(SmoothBlock, TakesOutliersOut) {
  const OwnedRows x = test::normalRows(kRows, kDim, 184);
  OwnBlock own(183);
  const OwnedRows before = own.in(Precision::int8, x.view());
  const OwnedRows exact = own.in(Precision::fp32, x.view());
  own.plantOutliers();
  EXPECT_LT(rootOfMeanSquare(own.in(Precision::fp32, x.view()), exact), 1e-5);
  EXPECT_LT(rootOfMeanSquare(own.in(Precision::int8, x.view()), exact),
            1.2 * rootOfMeanSquare(before, exact));
}

// A bias of all keys that is many times what tells them apart.
TEST(SmoothBlock, WhatAllKeysShareCostsNothing) {
  const OwnedRows x = test::normalRows(kRows, kDim, 190);
  OwnBlock own(189);
  const OwnedRows exact = own.in(Precision::fp32, x.view());
  const double before = rootOfMeanSquare(own.in(Precision::int8, x.view()), exact);
  for (std::size_t i = 0; i < kDim; i += 7) own.writable(own.block.qkv.bias)[kDim + i] += 300;
  EXPECT_LT(rootOfMeanSquare(own.in(Precision::fp32, x.view()), exact), 1e-4);
  EXPECT_LT(rootOfMeanSquare(own.in(Precision::int8, x.view()), exact), 1.01 * before);
}

// What smoothing saves from: the same outliers in rows of a linear layer by itself.
TEST(SmoothBlock, OutliersWouldLoseTheOtherFeatures) {
  test::RandomNetwork network(185);
  const LinearWeights linear{network.linear(kDim, kDim).weight, nullptr};
  OwnedRows x = test::normalRows(kRows, kDim, 186), exact(kRows, kDim), int8(kRows, kDim);
  linearReference(x.view(), linear, exact.view());
  linearCpu(x.view(), linear, int8.view(), Precision::int8);
  const double usual = rootOfMeanSquare(int8, exact);
  OwnedRows weight = test::asOperands(Precision::fp32, linear.weight);
  for (const std::size_t k : {5, 70, 151}) {
    for (std::size_t i = 0; i < kRows; ++i) x.row(i)[k] *= 128;
    for (std::size_t i = 0; i < kDim; ++i) weight.row(i)[k] /= 128;
  }
  linearCpu(x.view(), {weight.view(), nullptr}, int8.view(), Precision::int8);
  EXPECT_GT(rootOfMeanSquare(int8, exact), 20 * usual);
}

TEST(SmoothBlock, LeavesOddWeightsAlone) {
  OwnBlock own(187);
  own.writable(own.block.norm1.scale)[3] = 0;
  own.writable(own.block.norm1.shift)[3] = 0;
  for (std::size_t i = 0; i < own.block.fc1.weight.count; ++i)
    own.writable(own.block.fc1.weight.row(i))[9] = 0;
  const SmoothBlock smooth(own.block);
  EXPECT_EQ(smooth.weights().norm1.scale[3], 0);
  EXPECT_EQ(smooth.weights().norm2.scale[9], own.block.norm2.scale[9]);
  const OwnedRows x = test::normalRows(kRows, kDim, 188);
  test::expectNear(own.in(Precision::int8, x.view()).view(),
                   own.in(Precision::fp32, x.view()).view(), test::kInt8Block);
}

}  // namespace
}  // namespace mpm::vit
