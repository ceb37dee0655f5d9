// SPDX-License-Identifier: Apache-2.0
// Every operation gives the same bits on any number of threads.
#include <gtest/gtest.h>
#include <omp.h>

#include <functional>

#include "random_rows.h"
#include "vit/random_network.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;

void expectSameBitsOnAnyNumberOfThreads(const std::function<OwnedRows()>& operation) {
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const OwnedRows alone = operation();
  for (const int count : {2, 3, 5}) {
    omp_set_num_threads(count);
    EXPECT_EQ(operation().data, alone.data) << count << " threads";
  }
  omp_set_num_threads(threads);
}

constexpr std::size_t kRowCounts[] = {1, 3, 17, 197, 300};

TEST(ThreadCount, OfATransformerBlock) {
  for (const std::size_t count : kRowCounts) {
    SCOPED_TRACE(count);
    test::RandomNetwork network(111);
    const BlockWeights weights = network.block(192, 3, Gelu::erf);
    expectSameBitsOnAnyNumberOfThreads([&] {
      OwnedRows x = test::normalRows(count, 192, 112);
      BlockScratch scratch;
      transformerBlockCpu(x.view(), weights, nullptr, scratch);
      return x;
    });
  }
}

TEST(ThreadCount, OfALinearLayerWithALongSum) {
  for (const std::size_t count : kRowCounts) {
    SCOPED_TRACE(count);
    test::RandomNetwork network(113);
    const LinearWeights weights = network.linear(3072, 24);
    const OwnedRows x = test::normalRows(count, 3072, 114);
    expectSameBitsOnAnyNumberOfThreads([&] {
      OwnedRows out(count, 24);
      linearCpu(x.view(), weights, out.view());
      return out;
    });
  }
}

TEST(ThreadCount, OfTheMaskHead) {
  test::RandomNetwork network(115);
  const MaskHeadWeights weights = network.maskHead(192, 150);
  const OwnedRows x = test::normalRows(300, 192, 116), c = test::normalRows(150, 192, 117);
  expectSameBitsOnAnyNumberOfThreads([&] {
    OwnedRows masks(300, 150);
    MaskHeadScratch scratch;
    maskHeadCpu(x.view(), c.view(), weights, scratch, masks.view());
    return masks;
  });
}

TEST(ThreadCount, OfThePatchEmbedding) {
  test::RandomNetwork network(118);
  const ConstRows pixels = network.matrix(3 * 160, 160, 0, 1);
  PatchEmbedWeights weights;
  weights.projection = network.linear(3 * 256, 64);
  weights.special = network.matrix(1, 64, 0, 1);
  expectSameBitsOnAnyNumberOfThreads([&] {
    OwnedRows out(101, 64);
    PatchEmbedScratch scratch;
    patchEmbedCpu({pixels.data, 3, 160, 160}, weights, scratch, out.view());
    return out;
  });
}

}  // namespace
}  // namespace mpm::vit
