// SPDX-License-Identifier: Apache-2.0
// What networks take on live rows; and Segmenter's decoder on live rows, its result restored,
// against the same on restored rows.
#include "vit/late_restore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

using test::randomMap;

TEST(KeyWeights, AreLogarithmsOfMultiplicities) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  const std::vector<std::int32_t> map{0, 1, 1, 3, 0, 1, 3, 1}, unmerged{0, 1, 2};
  std::vector<float> weights(6, 7.0F);
  keyWeights(map.data(), map.size(), weights.data(), 5);  // and not of a row beyond the live ones
  EXPECT_EQ(weights, (std::vector<float>{std::log(2.0F), std::log(4.0F), kNone, std::log(2.0F),
                                         kNone, 7.0F}));
  weights.assign(3, 7.0F);
  keyWeights(unmerged.data(), 3, weights.data(), 3);
  EXPECT_EQ(weights, std::vector<float>(3, 0.0F));
}

// A double sum rounded once: half a unit of the last place.
constexpr double kRounding = 1e-7;

OwnedRows mean(ConstRows rows, const std::int32_t* counts) {
  OwnedRows result(1, rows.dim);
  meanRows(rows, counts, result.row(0));
  return result;
}

TEST(MeanRows, WithMultiplicitiesIsTheMeanOfTheRowsRestored) {
  for (const std::size_t rows : {1, 2, 3, 15, 16, 17, 196, 197}) {
    for (const std::size_t dim : {1, 24, 64, 192, 255, 256, 257, 768, 1000}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << dim << ", seed 141");
      const OwnedRows live = test::normalRows(rows, dim, 141);
      const auto map = randomMap(3 * rows, rows, 142);
      std::vector<std::int32_t> counts(rows, 0);
      for (const std::int32_t row : map) ++counts[static_cast<std::size_t>(row)];
      const OwnedRows full = restored(live, map);
      OwnedRows expected(1, dim);
      for (std::size_t k = 0; k < dim; ++k) {
        double sum = 0;
        for (std::size_t i = 0; i < full.count; ++i) sum += full.view().row(i)[k];
        expected.data[k] = static_cast<float>(sum / static_cast<double>(full.count));
      }
      PoisonedRows padded(live);
      test::expectNear(mean(padded.view(), counts.data()).view(), expected.view(), kRounding);
      test::expectNear(mean(full.view(), nullptr).view(), expected.view(), kRounding);
    }
  }
}

TEST(MeanRows, DoesNotReadARowThatCountsZeroTimesAndKeepsSmallDifferences) {
  OwnedRows rows = test::normalRows(3, 24, 143);
  std::fill_n(rows.row(1), 24, std::numeric_limits<float>::quiet_NaN());
  const std::vector<std::int32_t> counts{1, 0, 0};
  EXPECT_EQ(mean(rows.view(), counts.data()).data,
            std::vector<float>(rows.row(0), rows.row(0) + 24));
  OwnedRows large(4096, 1, 1e6F);
  large.row(17)[0] = 1e6F + 512;
  EXPECT_EQ(mean(large.view(), nullptr).data[0], 1e6F + 0.125F);
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
