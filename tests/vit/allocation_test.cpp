// SPDX-License-Identifier: Apache-2.0
// After the largest number of rows was seen, no operation takes memory: frames follow each other
// for weeks. On one thread, as every thread has scratch memory of its own that grows with the tiles
// it happens to take.
#include <gtest/gtest.h>

#include <functional>

#include "counted_new.h"
#include "processor/pool.h"
#include "vit/in_precision.h"
#include "vit/packed_calls.h"
#include "vit/random_network.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;

constexpr std::size_t kDim = 96, kClasses = 19;
constexpr std::size_t kMostRows = 200;

class Allocation : public test::InPrecision {
 protected:
  void SetUp() override {
    InPrecision::SetUp();
    processor::setThreadCount(1);
  }
  void TearDown() override { processor::setThreadCount(0); }

  static long allocationsOf(const std::function<void(std::size_t)>& call, std::size_t rows) {
    const long before = test::allocations;
    call(rows);
    return test::allocations - before;
  }
  static void expectNoneAfterTheFirstCall(const std::function<void(std::size_t)>& call) {
    // Scratch memory of threads is one for all operations: what another took would hide this one's.
    processor::threadScratch() = {};
    EXPECT_GT(allocationsOf(call, kMostRows), 0) << "the counter counts";
    for (const std::size_t rows : {1, 17, 48, 49, 131, 200, 3, 199}) {
      EXPECT_EQ(allocationsOf(call, rows), 0) << rows << " rows";
    }
  }

  test::RandomNetwork network{151};
  OwnedRows x = test::normalRows(kMostRows, kDim, 152), out{kMostRows, kDim};
  ConstRows in(std::size_t rows) const { return {x.data.data(), rows, kDim}; }
};

TEST_P(Allocation, OfATransformerBlock) {
  const PackedBlock block(network.block(kDim, 3, Gelu::erf), GetParam());
  const float* keyWeights = network.vector(kMostRows, 0, 1);
  BlockScratch scratch;
  expectNoneAfterTheFirstCall([&](std::size_t rows) {
    transformerBlockCpu(in(rows), block, rows % 2 == 0 ? keyWeights : nullptr, scratch,
                        {out.data.data(), rows, kDim});
  });
}

TEST_P(Allocation, OfALinearLayer) {
  const PackedLinear linear(network.linear(kDim, kDim), GetParam());
  const auto call = [&](std::size_t rows) {
    linearCpu(in(rows), linear, {out.data.data(), rows, kDim});
  };
  if (!isFp32()) return expectNoneAfterTheFirstCall(call);
  for (const std::size_t rows : {200, 1, 48}) {
    EXPECT_EQ(allocationsOf(call, rows), 0) << "rows of floats are read as they lie";
  }
}

TEST_P(Allocation, OfTheMaskHead) {
  const PackedMaskHead head(network.maskHead(kDim, kClasses), kClasses, GetParam());
  const OwnedRows classes = test::normalRows(kClasses, kDim, 153);
  MaskHeadScratch scratch;
  expectNoneAfterTheFirstCall([&](std::size_t rows) {
    maskHeadCpu(in(rows), classes.view(), head, scratch, {out.data.data(), rows, kClasses});
  });
}

TEST_P(Allocation, OfThePatchEmbedding) {
  PackedPatchEmbed embed;
  embed.patch = 8;
  embed.projection = {network.linear(3 * 64, kDim), GetParam()};
  const ConstRows pixels = network.matrix(3 * 8, kMostRows * 8, 0, 1);
  expectNoneAfterTheFirstCall([&](std::size_t rows) {
    patchEmbedCpu({pixels.data, 3, 8, rows * 8}, embed, {out.data.data(), rows, kDim});
  });
}

MPM_IN_EACH_PRECISION(Allocation);

}  // namespace
}  // namespace mpm::vit
