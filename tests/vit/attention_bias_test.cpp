// SPDX-License-Identifier: Apache-2.0
#include "vit/attention_bias.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tolerances.h"
#include "vit/attention.h"
#include "vit/poisoned_rows.h"
#include "vit/positions.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;

constexpr float kLog2E = 1.44269504088896F;

PackedBias packed(const OwnedRows& table, std::size_t heads) {
  PackedBias bias;
  bias.pack(table.view(), heads);
  return bias;
}

// One number of each query and key, tile by tile as attention asks for them.
OwnedRows columnsOf(const AttentionBias& bias, std::size_t heads, std::size_t queries,
                    std::size_t keys) {
  OwnedRows all(heads * queries, keys);
  processor::FloatBuffer room;
  for (std::size_t head = 0; head < heads; ++head) {
    for (std::size_t first = 0; first < queries; first += kTileRows) {
      const std::size_t count = std::min(kTileRows, queries - first);
      const BiasColumns columns =
          biasColumns(bias, head, first, count, room.reserve(biasRoomFor(bias)));
      for (std::size_t r = 0; r < count; ++r) {
        for (std::size_t key = 0; key < keys; ++key)
          all.row(head * queries + first + r)[key] = *columns.at(key, r);
      }
    }
  }
  return all;
}

TEST(AttentionBias, OfRowsThatStandForThemselvesIsTheTables) {
  for (const auto& [queries, keys] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {7, 130}, {97, 33}, {48, 48}}) {
    SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys");
    const OwnedRows table = test::normalRows(3 * queries, keys, 41);
    const PackedBias bias = packed(table, 3);
    OwnedRows expected = table;
    for (float& value : expected.data) value *= kLog2E;
    EXPECT_EQ(columnsOf({&bias}, 3, queries, keys).data, expected.data);
  }
}

TEST(AttentionBias, OfMergedRowsIsTheMeanOfTheirMembers) {
  struct Case {
    std::size_t special, originals, live;
  };
  for (const auto& [special, originals, live] :
       {Case{0, 1, 1}, {1, 8, 8}, {1, 64, 40}, {5, 100, 7}, {2, 130, 99}, {0, 60, 70}}) {
    const std::uint32_t seed = 31;
    SCOPED_TRACE(testing::Message()
                 << originals << " to " << live << ", " << special << " special, seed " << seed);
    std::mt19937 random(seed);
    std::vector<std::int32_t> map(originals);
    for (std::size_t i = 0; i < originals; ++i)
      map[i] = static_cast<std::int32_t>(i < live ? i : random() % live);
    std::shuffle(map.begin(), map.end(), random);
    Members members;
    members.set(map.data(), originals, special, special + live);
    const std::size_t heads = 2, rows = members.rows(), all = members.live();
    const OwnedRows table = test::normalRows(heads * rows, rows, seed + 1);
    OwnedRows expected(heads * all, all);
    biasOfMembersReference({table.data.data(), rows, rows}, members, heads, expected.row(0));
    for (float& value : expected.data) value *= kLog2E;
    const PackedBias bias = packed(table, heads);
    const OwnedRows actual = columnsOf({&bias, &members}, heads, all, all);
    test::expectNear(actual.view(), expected.view(), test::kVitOperation);
  }
}

struct GridCase {
  std::size_t special, height, width;

  std::size_t rows() const { return special + height * width; }
};

const std::vector<GridCase> kGrids{{0, 1, 1}, {1, 3, 5},  {0, 4, 4},  {2, 5, 16}, {1, 1, 40},
                                   {3, 9, 1}, {1, 7, 20}, {0, 13, 6}, {17, 4, 9}};

// What two patches have depends on their distance; what a special row has, on the other one too.
OwnedRows tableByDistance(const GridCase& grid, std::size_t heads, std::uint32_t seed) {
  const auto [special, height, width] = grid;
  const std::size_t rows = grid.rows(), across = 2 * width - 1;
  OwnedRows table = test::normalRows(heads * rows, rows, seed);
  const OwnedRows numbers = test::normalRows(heads, (2 * height - 1) * across, seed + 1);
  for (std::size_t head = 0; head < heads; ++head) {
    for (std::size_t query = 0; query < height * width; ++query) {
      for (std::size_t key = 0; key < height * width; ++key) {
        const std::size_t down = query / width + height - 1 - key / width;
        const std::size_t right = query % width + width - 1 - key % width;
        table.row(head * rows + special + query)[special + key] =
            numbers.view().row(head)[down * across + right];
      }
    }
  }
  return table;
}

TEST(AttentionBias, ByDistanceIsTheTables) {
  for (const GridCase& grid : kGrids) {
    SCOPED_TRACE(testing::Message()
                 << grid.special << " special, " << grid.height << " x " << grid.width);
    const OwnedRows table = tableByDistance(grid, 3, 61);
    PackedBias bias;
    bias.pack(table.view(), 3, grid.special);
    EXPECT_NE(bias.byDistance(), nullptr);
    OwnedRows expected = table;
    for (float& value : expected.data) value *= kLog2E;
    EXPECT_EQ(columnsOf({&bias}, 3, grid.rows(), grid.rows()).data, expected.data);
  }
}

TEST(AttentionBias, ByDistanceOfMergedRowsIsTheMeanOfTheirMembers) {
  for (const GridCase& grid : kGrids) {
    const std::uint32_t seed = 71;
    SCOPED_TRACE(testing::Message() << grid.special << " special, " << grid.height << " x "
                                    << grid.width << ", seed " << seed);
    const std::size_t heads = 2, patches = grid.height * grid.width;
    const OwnedRows table = tableByDistance(grid, heads, seed);
    PackedBias bias;
    bias.pack(table.view(), heads, grid.special);
    std::mt19937 random(seed);
    for (const std::size_t live : {patches, (2 * patches + 2) / 3, (patches + 9) / 10}) {
      std::vector<std::int32_t> map(patches);
      for (std::size_t i = 0; i < patches; ++i)
        map[i] = static_cast<std::int32_t>(i < live ? i : random() % live);
      std::shuffle(map.begin(), map.end(), random);
      Members members;
      members.set(map.data(), patches, grid.special, grid.special + live);
      const std::size_t all = members.live();
      OwnedRows expected(heads * all, all);
      biasOfMembersReference({table.data.data(), grid.rows(), grid.rows()}, members, heads,
                             expected.row(0));
      for (float& value : expected.data) value *= kLog2E;
      const OwnedRows actual = columnsOf({&bias, &members}, heads, all, all);
      test::expectNear(actual.view(), expected.view(), test::kVitOperation);
    }
  }
}

TEST(AttentionBias, IsOfPairsWhereOneOfThemDiffers) {
  const GridCase grid{1, 3, 5};
  for (const std::size_t at : {17 * 16 + 3, 31 * 16 + 15, 1 * 16 + 1}) {
    OwnedRows table = tableByDistance(grid, 2, 81);
    table.data[at] += 1;
    PackedBias bias;
    bias.pack(table.view(), 2, grid.special);
    EXPECT_EQ(bias.byDistance(), nullptr) << at;
    OwnedRows expected = table;
    for (float& value : expected.data) value *= kLog2E;
    EXPECT_EQ(columnsOf({&bias}, 2, grid.rows(), grid.rows()).data, expected.data);
  }
}

TEST(AttentionBias, WhatExcludesStaysFiniteOrInfinite) {
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  OwnedRows table(1, 4);
  std::copy_n(std::vector<float>{kLowest, -kInfinity, 3, -kLowest}.begin(), 4, table.row(0));
  const PackedBias bias = packed(table, 1);
  const OwnedRows columns = columnsOf({&bias}, 1, 1, 4);
  EXPECT_TRUE(std::isfinite(columns.view().row(0)[0]));
  EXPECT_LT(columns.view().row(0)[0], -1e29F);
  EXPECT_EQ(columns.view().row(0)[1], -kInfinity);
  EXPECT_EQ(columns.view().row(0)[2], 3 * kLog2E);
  EXPECT_TRUE(std::isfinite(columns.view().row(0)[3]));
}

TEST(AttentionBias, IsAddedToTheLogits) {
  for (const auto& [queries, keys] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {7, 130}, {97, 33}, {64, 256}, {48, 48}}) {
    const std::uint32_t seed = 51;
    SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys, seed " << seed);
    const std::size_t heads = 3, dim = 3 * 20;
    const OwnedRows q = test::normalRows(queries, dim, seed);
    const OwnedRows k = test::normalRows(keys, dim, seed + 1);
    const OwnedRows v = test::normalRows(keys, dim, seed + 2);
    const OwnedRows table = test::normalRows(heads * queries, keys, seed + 3);
    const BiasTable given{table.data.data(), queries, keys};
    const PackedBias own = packed(table, heads);
    const AttentionBias bias{&own};
    const Attention attention{heads, 0.3F, nullptr, &bias};
    OwnedRows expected(queries, dim), actual(queries, dim);
    attentionReference(q.view(), k.view(), v.view(), attention, expected.view(), &given);
    AttentionOperands operands;
    attentionCpu(q.view(), k.view(), v.view(), attention, Precision::fp32, operands, actual.view());
    test::expectNear(actual.view(), expected.view(), test::kVitOperation);
    if (!hasBf16() && !hasFp16()) continue;
    const Precision precision = hasBf16() ? Precision::bf16 : Precision::fp16;
    attentionCpu(q.view(), k.view(), v.view(), attention, precision, operands, actual.view());
    for (std::size_t i = 0; i < expected.data.size(); ++i)
      EXPECT_NEAR(actual.data[i], expected.data[i], 0.05) << i;
  }
}

}  // namespace
}  // namespace mpm::vit
