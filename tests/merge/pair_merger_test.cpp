// SPDX-License-Identifier: Apache-2.0
#include "mpm/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "random_rows.h"

namespace mpm {
namespace {

using test::OwnedRows;
using Ints = std::vector<std::int32_t>;

Ints freshMap(std::size_t count) {
  Ints map(count);
  identityMap(map.data(), count);
  return map;
}

TEST(PairMerger, FewRows) {
  PairMerger merger;
  EXPECT_EQ(merger.merge({nullptr, 0, 5}, {}, nullptr, 0, {nullptr, 0, 5}), 0U);

  OwnedRows one(1, 5, 2), out(2, 5);
  Ints map = freshMap(1);
  EXPECT_EQ(merger.merge(one.view(), {}, map.data(), 1, out.view()), 1U);
  EXPECT_EQ(out.row(0)[4], 2);

  OwnedRows two(2, 5, 2);
  std::fill_n(two.row(1), 5, 4.0F);
  map = freshMap(2);
  EXPECT_EQ(merger.merge(two.view(), {}, map.data(), 2, out.view()), 1U);
  EXPECT_EQ(out.row(0)[4], 3);
  EXPECT_EQ(map, (Ints{0, 0}));
}

TEST(PairMerger, TheSecondMeanIsPlain) {  // (a + b) / 2 with c: sizes do not weigh
  PairMerger merger;
  OwnedRows rows(3, 2);
  rows.data = {1.0F, 0.0F, 1.0F, 0.1F, 1.0F, 0.3F};
  OwnedRows once(3, 2), twice(3, 2);
  Ints map = freshMap(3);
  ASSERT_EQ(merger.merge(rows.view(), {}, map.data(), 3, once.view()), 2U);
  EXPECT_EQ(map, (Ints{0, 0, 1}));
  const ConstRows live(once.data.data(), 2, 2);
  ASSERT_EQ(merger.merge(live, {}, map.data(), 3, twice.view()), 1U);
  EXPECT_EQ(map, (Ints{0, 0, 0}));
  EXPECT_FLOAT_EQ(twice.row(0)[1], (0.05F + 0.3F) / 2);
}

TEST(PairMerger, AWindowFollowsMergedTokens) {
  // On a line of four, 0-1 and 2-3 merge; their representatives 0 and 2 are two patches apart.
  OwnedRows rows(4, 2);
  rows.data = {1, 0, 1, 0.01F, 0, 1, 0.01F, 1};
  for (const int window : {1, 2}) {
    PairMerger merger;
    MergeOptions options;
    options.window = window, options.gridHeight = 1, options.gridWidth = 4;
    OwnedRows once(4, 2), twice(4, 2);
    Ints map = freshMap(4);
    ASSERT_EQ(merger.merge(rows.view(), options, map.data(), 4, once.view()), 2U);
    const ConstRows live(once.data.data(), 2, 2);
    EXPECT_EQ(merger.merge(live, options, map.data(), 4, twice.view()), window == 1 ? 2U : 1U);
  }
}

TEST(PairMerger, ResultsDoNotDependOnEarlierCalls) {
  PairMerger used;
  for (const std::size_t count : {500, 40, 300}) {
    const OwnedRows rows = test::normalRows(count, 30, 14);
    OwnedRows expected(count, 30), actual(count, 30);
    Ints expectedMap = freshMap(count), actualMap = freshMap(count);
    PairMerger fresh;
    const std::size_t live =
        fresh.merge(rows.view(), {}, expectedMap.data(), count, expected.view());
    EXPECT_EQ(used.merge(rows.view(), {}, actualMap.data(), count, actual.view()), live);
    EXPECT_EQ(actualMap, expectedMap);
    EXPECT_EQ(actual.data, expected.data);
  }
}

TEST(PairMerger, ScratchStaysBounded) {  // 16384 x 768 rows are 48 MiB, S would be 1 GiB
  PairMerger merger;
  MergeOptions options;
  options.window = 1, options.gridHeight = 128, options.gridWidth = 128;
  const OwnedRows rows = test::normalRows(16384, 768, 15);
  OwnedRows merged(16384, 768);
  Ints map = freshMap(16384);
  merger.merge(rows.view(), options, map.data(), map.size(), merged.view());
  EXPECT_LE(merger.scratchBytes(), std::size_t{32} << 20);
}

TEST(PairMerger, NonFiniteRowsPassThrough) {
  OwnedRows rows(3, 4, 1);
  rows.row(1)[2] = std::numeric_limits<float>::infinity();
  OwnedRows merged(3, 4);
  Ints map = freshMap(3);
  PairMerger merger;
  EXPECT_EQ(merger.merge(rows.view(), {}, map.data(), 3, merged.view()), 2U);
  EXPECT_EQ(map, (Ints{0, 1, 0}));
  EXPECT_EQ(merged.row(1)[2], std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace mpm
