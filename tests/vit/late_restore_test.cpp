// SPDX-License-Identifier: Apache-2.0
// What networks take on live rows; and Segmenter's decoder on live rows, its result restored,
// against the same on restored rows.
#include "vit/late_restore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tolerances.h"
#include "vit/packed_calls.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;

OwnedRows restored(const OwnedRows& live, const std::vector<std::int32_t>& map) {
  OwnedRows full(map.size(), live.dim);
  for (std::size_t i = 0; i < map.size(); ++i) {
    std::copy_n(live.view().row(static_cast<std::size_t>(map[i])), live.dim, full.row(i));
  }
  return full;
}

/// Every live row at least once; some of them often.
std::vector<std::int32_t> randomMap(std::size_t originals, std::size_t live, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::int32_t> map(originals);
  for (std::size_t i = 0; i < originals; ++i) {
    map[i] = static_cast<std::int32_t>(i < live ? i : random() % (1 + random() % live));
  }
  std::shuffle(map.begin(), map.end(), random);
  return map;
}

TEST(KeyWeights, AreLogarithmsOfMultiplicities) {
  const std::vector<std::int32_t> map{0, 1, 1, 3, 0, 1, 3, 1};
  std::vector<float> weights(6, 7.0F);
  keyWeights(map.data(), map.size(), weights.data(), 5);
  EXPECT_EQ(weights[0], std::log(2.0F));
  EXPECT_EQ(weights[1], std::log(4.0F));
  EXPECT_EQ(weights[2], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(weights[3], std::log(2.0F));
  EXPECT_EQ(weights[4], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(weights[5], 7.0F) << "a row beyond the live ones";
}

TEST(KeyWeights, WithoutMergingAreZero) {
  const std::vector<std::int32_t> map{0, 1, 2};
  std::vector<float> weights(3, 7.0F);
  keyWeights(map.data(), 3, weights.data(), 3);
  EXPECT_EQ(weights, std::vector<float>(3, 0.0F));
}

// A double sum rounded once: half a unit of the last place.
constexpr double kRounding = 1e-7;

OwnedRows mean(ConstRows rows, const std::int32_t* counts) {
  OwnedRows result(1, rows.dim);
  meanRows(rows, counts, result.row(0));
  return result;
}

TEST(MeanRows, OfAHandfulByHand) {
  const std::vector<float> rows{1, 10, 2, 20, 6, 60};
  EXPECT_EQ(mean({rows.data(), 3, 2}, nullptr).data, (std::vector<float>{3, 30}));
  const std::vector<std::int32_t> counts{1, 0, 4};
  EXPECT_EQ(mean({rows.data(), 3, 2}, counts.data()).data, (std::vector<float>{5, 50}));
}

TEST(MeanRows, WithMultiplicitiesIsTheMeanOfTheRowsRestored) {
  for (const test::VitShape& shape : test::vitShapes()) {
    if (shape.heads != 1) continue;
    const std::uint32_t seed = 141;
    SCOPED_TRACE(testing::Message() << shape << ", seed " << seed);
    const OwnedRows live = test::normalRows(shape.rows, shape.dim, seed);
    const auto map = randomMap(3 * shape.rows, shape.rows, seed + 1);
    std::vector<std::int32_t> counts(shape.rows, 0);
    for (const std::int32_t row : map) ++counts[static_cast<std::size_t>(row)];
    PoisonedRows padded(live);
    test::expectNear(mean(padded.view(), counts.data()).view(),
                     mean(restored(live, map).view(), nullptr).view(), kRounding);
  }
}

TEST(MeanRows, OfMoreFeaturesThanFitTheStackAtOnce) {
  for (const std::size_t dim : {1, 255, 256, 257, 768, 1000}) {
    const OwnedRows rows = test::normalRows(3, dim, 142);
    const OwnedRows result = mean(rows.view(), nullptr);
    for (std::size_t k = 0; k < dim; ++k) {
      const double sum =
          0.0 + rows.view().row(0)[k] + rows.view().row(1)[k] + rows.view().row(2)[k];
      ASSERT_NEAR(result.data[k], sum / 3, kRounding) << "dim " << dim << ", feature " << k;
    }
  }
}

TEST(MeanRows, DoesNotReadARowThatCountsZeroTimes) {
  OwnedRows rows = test::normalRows(3, 24, 143);
  std::fill_n(rows.row(1), 24, std::numeric_limits<float>::quiet_NaN());
  const std::vector<std::int32_t> counts{1, 0, 0};
  EXPECT_EQ(mean(rows.view(), counts.data()).data,
            std::vector<float>(rows.row(0), rows.row(0) + 24));
}

TEST(MeanRows, KeepsSmallDifferencesOnALargeOffset) {
  OwnedRows rows(4096, 1, 1e6F);
  rows.row(17)[0] = 1e6F + 512;
  EXPECT_EQ(mean(rows.view(), nullptr).data[0], 1e6F + 0.125F);
}

constexpr std::size_t kEncoderDim = 24, kDim = 48, kHeads = 3, kClasses = 19, kBlocks = 2;

struct Decoder {
  test::RandomNetwork network;
  LinearWeights projDec;
  ConstRows classRows;
  std::vector<BlockWeights> blocks;
  NormWeights norm;
  MaskHeadWeights head;

  explicit Decoder(std::uint32_t seed) : network(seed) {
    projDec = network.linear(kEncoderDim, kDim);
    classRows = network.matrix(kClasses, kDim, 0, 1);
    for (std::size_t i = 0; i < kBlocks; ++i) {
      blocks.push_back(network.block(kDim, kHeads, Gelu::erf));
    }
    norm = network.norm(kDim);
    head = network.maskHead(kDim, kClasses);
  }
};

/// masks [n x K] of image rows x [n x D]; multiplicities: of each image row, or none.
template <class Linear, class Block, class Norm, class Head>
OwnedRows decode(const Decoder& decoder, ConstRows x, const std::vector<float>& imageWeights,
                 Linear linear, Block block, Norm norm, Head head) {
  const std::size_t n = x.count;
  OwnedRows tokens(n + kClasses, kDim), masks(n, kClasses);
  linear(x, decoder.projDec, Rows(tokens.row(0), n, kDim));
  std::copy_n(decoder.classRows.data, kClasses * kDim, tokens.row(n));
  std::vector<float> weights = imageWeights;
  weights.resize(n + kClasses, 0.0F);  // each class row stands for itself
  for (const BlockWeights& w : decoder.blocks) block(tokens.view(), w, weights.data());
  norm(tokens.view(), decoder.norm, tokens.view());
  head(ConstRows(tokens.row(0), n, kDim), ConstRows(tokens.row(n), kClasses, kDim), decoder.head,
       masks.view());
  return masks;
}

OwnedRows decodeByReference(const Decoder& decoder, const OwnedRows& x,
                            const std::vector<float>& weights) {
  return decode(decoder, x.view(), weights, linearReference, transformerBlockReference,
                normalizeReference, maskHeadReference);
}

OwnedRows decodeOnCpu(const Decoder& decoder, const OwnedRows& x,
                      const std::vector<float>& weights) {
  BlockScratch blockScratch;
  MaskHeadScratch headScratch;
  const auto block = [&](Rows rows, const BlockWeights& w, const float* keyWeights) {
    transformerBlockCpu(rows, w, keyWeights, blockScratch);
  };
  const auto head = [&](ConstRows patches, ConstRows classes, const MaskHeadWeights& w,
                        Rows masks) { maskHeadCpu(patches, classes, w, headScratch, masks); };
  const auto linear = [](ConstRows in, const LinearWeights& w, Rows out) { linearCpu(in, w, out); };
  return decode(decoder, x.view(), weights, linear, block, normalizeCpu, head);
}

TEST(LateRestore, GivesWhatTheDecoderOnRestoredRowsGives) {
  const std::pair<std::size_t, std::size_t> sizes[] = {{1, 1},    {2, 1},     {17, 9},
                                                       {196, 61}, {196, 196}, {400, 113}};
  for (const auto& [originals, live] : sizes) {
    const std::uint32_t seed = 101;
    SCOPED_TRACE(testing::Message() << originals << " tokens, " << live << " live, seed " << seed);
    const Decoder decoder(seed);
    const OwnedRows x = test::normalRows(live, kEncoderDim, seed + 100);
    const std::vector<std::int32_t> map = randomMap(originals, live, seed + 101);
    std::vector<float> weights(live);
    keyWeights(map.data(), originals, weights.data(), live);

    const OwnedRows early = decodeByReference(decoder, restored(x, map), {});
    const OwnedRows late = restored(decodeByReference(decoder, x, weights), map);
    test::expectNear(late.view(), early.view(), test::kVitReference);

    const OwnedRows lateOnCpu = restored(decodeOnCpu(decoder, x, weights), map);
    const OwnedRows earlyOnCpu = decodeOnCpu(decoder, restored(x, map), {});
    test::expectNear(lateOnCpu.view(), earlyOnCpu.view(), test::kVitNetwork);
    test::expectNear(lateOnCpu.view(), early.view(), test::kVitNetwork);
  }
}

// The proof has teeth: without the weights a live row counts once, and the masks differ.
TEST(LateRestore, NeedsTheKeyWeights) {
  const Decoder decoder(102);
  const OwnedRows x = test::normalRows(61, kEncoderDim, 202);
  const std::vector<std::int32_t> map = randomMap(196, 61, 203);
  const OwnedRows early = decodeByReference(decoder, restored(x, map), {});
  const OwnedRows unweighted = restored(decodeByReference(decoder, x, {}), map);
  double largest = 0;
  for (std::size_t i = 0; i < early.data.size(); ++i) {
    largest = std::max<double>(largest, std::abs(early.data[i] - unweighted.data[i]));
  }
  EXPECT_GT(largest, 100 * test::kVitNetwork);
}

}  // namespace
}  // namespace mpm::vit
