// SPDX-License-Identifier: Apache-2.0
// Segmenter's decoder on live rows, its result restored, against the same on restored rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tolerances.h"
#include "vit/key_weights.h"
#include "vit/packed_calls.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;

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
