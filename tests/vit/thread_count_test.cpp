// SPDX-License-Identifier: Apache-2.0
// Every operation gives the same bits on any number of threads, in each precision.
#include <gtest/gtest.h>

#include <functional>

#include "processor/pool.h"
#include "random_rows.h"
#include "vit/in_precision.h"
#include "vit/packed_calls.h"
#include "vit/random_network.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;

void expectSameBitsOnAnyNumberOfThreads(const std::function<OwnedRows()>& operation) {
  processor::setThreadCount(1);
  const OwnedRows alone = operation();
  for (const int count : {2, 3, 5}) {
    processor::setThreadCount(count);
    EXPECT_EQ(operation().data, alone.data) << count << " threads";
  }
  processor::setThreadCount(0);
}

constexpr std::size_t kRowCounts[] = {1, 3, 17, 197, 300};

class ThreadCount : public test::InPrecision {};

TEST_P(ThreadCount, OfATransformerBlock) {
  test::RandomNetwork network(111);
  const PackedBlock block(network.block(192, 3, Gelu::erf), GetParam());
  for (const std::size_t count : kRowCounts) {
    SCOPED_TRACE(testing::Message() << count << " rows, seeds 111, 112");
    const OwnedRows x = test::normalRows(count, 192, 112);
    expectSameBitsOnAnyNumberOfThreads([&] {
      OwnedRows out(count, 192);
      BlockScratch scratch;
      transformerBlockCpu(x.view(), block, nullptr, scratch, out.view());
      return out;
    });
  }
}

// Its result replaces what other threads still may have to read.
TEST_P(ThreadCount, OfATransformerBlockInPlace) {
  test::RandomNetwork network(111);
  const PackedBlock block(network.block(192, 3, Gelu::erf), GetParam());
  for (const std::size_t count : kRowCounts) {
    SCOPED_TRACE(testing::Message() << count << " rows, seeds 111, 112");
    OwnedRows elsewhere(count, 192);
    BlockScratch scratch;
    transformerBlockCpu(test::normalRows(count, 192, 112).view(), block, nullptr, scratch,
                        elsewhere.view());
    expectSameBitsOnAnyNumberOfThreads([&] {
      OwnedRows x = test::normalRows(count, 192, 112);
      transformerBlockCpu(x.view(), block, nullptr, scratch, x.view());
      EXPECT_EQ(x.data, elsewhere.data);
      return x;
    });
  }
}

TEST_P(ThreadCount, OfAttention) {
  for (const std::size_t count : kRowCounts) {
    SCOPED_TRACE(testing::Message() << count << " rows, seed 119");
    const OwnedRows q = test::normalRows(count, 48, 119), kv = test::normalRows(200, 48, 120);
    const OwnedRows weights = test::normalRows(1, 200, 121);
    expectSameBitsOnAnyNumberOfThreads([&] {
      OwnedRows out(count, 48);
      AttentionOperands operands;
      attentionCpu(q.view(), kv.view(), kv.view(), {2, 0.2F, weights.data.data()}, GetParam(),
                   operands, out.view());
      return out;
    });
  }
}

TEST_P(ThreadCount, OfALinearLayerWithALongSum) {
  test::RandomNetwork network(113);
  for (const std::size_t outputs : {24, 700}) {
    const PackedLinear linear(network.linear(3072, outputs), GetParam());
    for (const std::size_t count : kRowCounts) {
      SCOPED_TRACE(testing::Message() << count << " rows, to " << outputs << ", seeds 113, 114");
      const OwnedRows x = test::normalRows(count, 3072, 114);
      expectSameBitsOnAnyNumberOfThreads([&] {
        OwnedRows out(count, outputs);
        linearCpu(x.view(), linear, out.view());
        return out;
      });
    }
  }
}

TEST_P(ThreadCount, OfTheMaskHead) {
  test::RandomNetwork network(115);
  const MaskHeadWeights weights = network.maskHead(192, 150);
  const OwnedRows x = test::normalRows(300, 192, 116), c = test::normalRows(150, 192, 117);
  expectSameBitsOnAnyNumberOfThreads([&] {
    OwnedRows masks(300, 150);
    MaskHeadScratch scratch;
    maskHeadCpu(x.view(), c.view(), weights, scratch, masks.view(), GetParam());
    return masks;
  });
}

TEST_P(ThreadCount, OfThePatchEmbedding) {
  test::RandomNetwork network(118);
  const ConstRows pixels = network.matrix(3 * 160, 160, 0, 1);
  PatchEmbedWeights weights;
  weights.projection = network.linear(3 * 256, 64);
  weights.special = network.matrix(1, 64, 0, 1);
  expectSameBitsOnAnyNumberOfThreads([&] {
    OwnedRows out(101, 64);
    patchEmbedCpu({pixels.data, 3, 160, 160}, weights, out.view(), GetParam());
    return out;
  });
}

MPM_IN_EACH_PRECISION(ThreadCount);

}  // namespace
}  // namespace mpm::vit
