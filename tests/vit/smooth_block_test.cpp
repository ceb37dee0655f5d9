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

TEST(SmoothBlock, ComputesTheSame) {
  for (const bool bare : {false, true}) {
    test::RandomNetwork network(181);
    const BlockWeights block = network.block(kDim, 3, Gelu::erf, bare);
    const SmoothBlock smooth(block);
    OwnedRows expected = test::normalRows(kRows, kDim, 182), actual = expected;
    transformerBlockReference(expected.view(), block, nullptr);
    transformerBlockReference(actual.view(), smooth.weights(), nullptr);
    test::expectNear(actual.view(), expected.view(), test::kVitNetwork);
  }
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
