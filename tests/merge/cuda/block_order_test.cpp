// SPDX-License-Identifier: Apache-2.0
// On the processor alone: a GPU cannot be told in which order it runs blocks.
#include <gtest/gtest.h>

#include "merge/cuda/merging.h"
#include "merge/cuda/on_host/block.h"

namespace mpm::test {
namespace {

void expectSameInAnyOrder(const MergeInput& input) {
  on_host::shuffleBlocks(0);
  const MergeOutput expected = mergeOnDevice(input);
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "order " << seed);
    on_host::shuffleBlocks(seed);
    const MergeOutput actual = mergeOnDevice(input);
    EXPECT_EQ(actual.tokens.data, expected.tokens.data);
    EXPECT_EQ(actual.tokens.count, expected.tokens.count);
    EXPECT_EQ(actual.first, expected.first);
    EXPECT_EQ(actual.map, expected.map);
  }
  on_host::shuffleBlocks(0);
}

TEST(BlockOrder, DoesNotMatter) {
  MergeInput input;
  input.tokens = batchOf({smoothRows(301, 40, 61), normalRows(131, 40, 62)}, 1);
  expectSameInAnyOrder(input);
}

TEST(BlockOrder, DoesNotMatterWhereRowsTie) {
  MergeInput input;
  input.tokens =
      batchOf({signRows(400, 16, 63), OwnedRows(300, 16, 2)}, 0, merge::Element::bfloat16);
  input.packed = true;
  expectSameInAnyOrder(input);
}

TEST(BlockOrder, DoesNotMatterWithAWindow) {
  MergeInput input;
  input.tokens = batchOf({signRows(400, 16, 64), smoothRows(400, 16, 65)});
  input.window = 3;
  input.gridWidth = 20;
  expectSameInAnyOrder(input);
}

}  // namespace
}  // namespace mpm::test
