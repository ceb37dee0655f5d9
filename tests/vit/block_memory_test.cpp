// SPDX-License-Identifier: Apache-2.0
#include "vit/block_memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "processor/pool.h"
#include "tolerances.h"
#include "vit/in_precision.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using Numbers = std::vector<std::int32_t>;

constexpr std::size_t kDim = 24, kHeads = 3, kSpecial = 1;

class BlockMemoryIn : public test::InPrecision {
 protected:
  PackedBlock block() { return {network_.block(kDim, kHeads, Gelu::erf), GetParam()}; }
  static double tolerance() {
    if (GetParam() == Precision::int8) return test::kInt8Block;
    return isBf16() || isFp16() ? 3e-2 : test::kVitNetwork;
  }

  test::RandomNetwork network_{91};
};

OwnedRows picked(const OwnedRows& rows, const Numbers& fresh) {
  OwnedRows out(kSpecial + fresh.size(), kDim);
  const auto copy = [&](std::size_t from, std::size_t to) {
    std::copy_n(rows.view().row(from), kDim, out.view().row(to));
  };
  for (std::size_t s = 0; s < kSpecial; ++s) copy(s, s);
  for (std::size_t i = 0; i < fresh.size(); ++i)
    copy(kSpecial + static_cast<std::size_t>(fresh[i]), kSpecial + i);
  return out;
}

TEST_P(BlockMemoryIn, AllRowsGiveTheBitsOfACallWithout) {
  const PackedBlock packed = block();
  BlockScratch scratch;
  BlockMemory memory;
  for (const std::size_t live : {40, 97, 33, 12}) {
    const std::size_t originals = 97;
    Numbers map(originals);
    for (std::size_t i = 0; i < originals; ++i) map[i] = static_cast<std::int32_t>(i % live);
    std::vector<float> weights(kSpecial + live, 0.0F);
    for (const std::int32_t row : map) weights[kSpecial + static_cast<std::size_t>(row)] += 1;
    for (std::size_t i = kSpecial; i < weights.size(); ++i) weights[i] = std::log(weights[i]);
    const OwnedRows in = test::normalRows(kSpecial + live, kDim, 92);
    OwnedRows expected(in.count, kDim), actual(in.count, kDim);
    transformerBlockCpu(in.view(), packed, weights.data(), scratch, expected.view());
    memory.expectAll({in.count, kSpecial, originals, map.data(), true});
    transformerBlockCpu(in.view(), packed, memory, actual.view());
    test::expectNear(actual.view(), expected.view(), 0);
    EXPECT_EQ(memory.keys(), kSpecial + live);
  }
}

// Keys and values of a row follow from the row alone, so that rows which did not change have those
// of the picture that changed around them.
TEST_P(BlockMemoryIn, FreshRowsMeetTheKeysOfAll) {
  const PackedBlock packed = block();
  BlockScratch scratch;
  BlockMemory memory;
  const std::size_t originals = 130, rows = kSpecial + originals;
  OwnedRows picture = test::normalRows(rows, kDim, 93);
  OwnedRows out(rows, kDim);
  memory.expectAll({rows, kSpecial, originals});
  transformerBlockCpu(picture.view(), packed, memory, out.view());
  const OwnedRows other = test::normalRows(rows, kDim, 94);
  Numbers everySecond(originals / 2);
  for (std::size_t i = 0; i < everySecond.size(); ++i)
    everySecond[i] = static_cast<std::int32_t>(2 * i + 1);
  for (const Numbers& fresh : {Numbers{0}, Numbers{5, 6, 90, 129}, Numbers{}, everySecond}) {
    SCOPED_TRACE(testing::Message() << fresh.size() << " fresh rows, seeds 93 and 94");
    for (const std::int32_t row : fresh) {
      const std::size_t at = kSpecial + static_cast<std::size_t>(row);
      std::copy_n(other.view().row(at), kDim, picture.view().row(at));
    }
    OwnedRows all(rows, kDim), few(kSpecial + fresh.size(), kDim);
    transformerBlockCpu(picture.view(), packed, nullptr, scratch, all.view());
    memory.expectFresh(fresh);
    transformerBlockCpu(picked(picture, fresh).view(), packed, memory, few.view());
    test::expectNear(few.view(), picked(all, fresh).view(), 0);
  }
  EXPECT_GE(memory.bytes(), 3 * rows * kDim * 2);
}

TEST_P(BlockMemoryIn, AFreshRowLeavesThoseItWasMergedWith) {
  const PackedBlock packed = block();
  BlockScratch scratch;
  for (const bool isWeighted : {false, true}) {
    SCOPED_TRACE(isWeighted);
    BlockMemory memory;
    // Originals 0 and 2 share a row, 1, 3 and 4 another one; 5 is alone.
    const Numbers map = {0, 1, 0, 1, 1, 2};
    const OwnedRows merged = test::normalRows(4, kDim, 95), other = test::normalRows(7, kDim, 96);
    OwnedRows out(4, kDim);
    memory.expectAll({4, kSpecial, map.size(), map.data(), isWeighted});
    transformerBlockCpu(merged.view(), packed, memory, out.view());

    memory.expectFresh({3, 5});
    EXPECT_EQ(memory.keys(), 5U);  // 3 has one of its own, 5 had one
    OwnedRows few(3, kDim);
    transformerBlockCpu(picked(other, {3, 5}).view(), packed, memory, few.view());

    // The same rows in one call: the special one, the two merged ones, 5 and 3.
    OwnedRows all(5, kDim), expected(5, kDim);
    const auto put = [&](const OwnedRows& from, std::size_t row, std::size_t to) {
      std::copy_n(from.view().row(row), kDim, all.view().row(to));
    };
    put(other, 0, 0), put(merged, 1, 1), put(merged, 2, 2), put(other, 6, 3), put(other, 4, 4);
    const float weights[] = {0, std::log(2.0F), std::log(2.0F), 0, 0};
    transformerBlockCpu(all.view(), packed, isWeighted ? weights : nullptr, scratch,
                        expected.view());
    OwnedRows wanted(3, kDim);
    for (const auto& [from, to] : {std::pair{0, 0}, {4, 1}, {3, 2}})
      std::copy_n(expected.view().row(from), kDim, wanted.view().row(to));
    test::expectNear(few.view(), wanted.view(), tolerance());

    memory.expectFresh({0, 1, 2, 3, 4, 5});
    EXPECT_EQ(memory.keys(), 7U);  // each has one of its own now, and there are no more
  }
}

TEST_P(BlockMemoryIn, ThreadsDoNotShow) {
  const PackedBlock packed = block();
  const std::size_t originals = 300, rows = kSpecial + originals;
  const OwnedRows picture = test::normalRows(rows, kDim, 97);
  Numbers fresh(200);
  std::iota(fresh.begin(), fresh.end(), 50);
  std::vector<OwnedRows> results;
  for (const int threads : {1, 4}) {
    processor::setThreadCount(threads);
    BlockMemory memory;
    OwnedRows out(rows, kDim), few(kSpecial + fresh.size(), kDim);
    memory.expectAll({rows, kSpecial, originals});
    transformerBlockCpu(picture.view(), packed, memory, out.view());
    memory.expectFresh(fresh);
    transformerBlockCpu(picked(out, fresh).view(), packed, memory, few.view());
    results.push_back(few);
  }
  processor::setThreadCount(0);
  test::expectNear(results[1].view(), results[0].view(), 0);
}

MPM_IN_EACH_PRECISION(BlockMemoryIn);

}  // namespace
}  // namespace mpm::vit
