// SPDX-License-Identifier: Apache-2.0
#include "vit/attention_bias.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

PackedBias packed(const OwnedRows& table, std::size_t heads, std::size_t special = 0) {
  PackedBias bias;
  bias.pack(table.view(), heads, special);
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

void expectTable(const OwnedRows& table, const PackedBias& bias, std::size_t heads) {
  OwnedRows expected = table;
  for (float& value : expected.data) value *= kLog2E;
  EXPECT_EQ(columnsOf({&bias}, heads, table.count / heads, table.dim).data, expected.data);
}

void expectMeans(const OwnedRows& table, const PackedBias& bias, std::size_t heads,
                 std::size_t special, std::size_t live) {
  SCOPED_TRACE(testing::Message() << table.dim << " rows to " << special << "+" << live
                                  << ", seed 31");
  const std::vector<std::int32_t> map = test::randomMap(table.dim - special, live, 31);
  Members members;
  members.set(map.data(), map.size(), special, special + live);
  const std::size_t all = members.live();
  OwnedRows expected(heads * all, all);
  biasOfMembersReference({table.data.data(), table.dim, table.dim}, members, heads,
                         expected.row(0));
  for (float& value : expected.data) value *= kLog2E;
  const OwnedRows actual = columnsOf({&bias, &members}, heads, all, all);
  test::expectNear(actual.view(), expected.view(), test::kVitOperation);
}

TEST(AttentionBias, IsTheTablesOrTheMeanOfItsMembers) {
  for (const auto& [queries, keys] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {7, 130}, {97, 33}, {48, 48}}) {
    const OwnedRows table = test::normalRows(3 * queries, keys, 41);
    expectTable(table, packed(table, 3), 3);
  }
  struct Case {
    std::size_t special, originals, live;
  };
  for (const auto& [special, originals, live] :
       {Case{0, 1, 1}, {1, 8, 8}, {1, 64, 40}, {5, 100, 7}, {2, 130, 99}, {0, 60, 70}}) {
    const std::size_t rows = special + originals;
    const OwnedRows table = test::normalRows(2 * rows, rows, 32);
    expectMeans(table, packed(table, 2), 2, special, live);
  }
}

struct GridCase {
  std::size_t special, height, width;
};

// What two patches have depends on their distance; what a special row has, on the other one too.
OwnedRows tableByDistance(const GridCase& grid, std::size_t heads) {
  const auto [special, height, width] = grid;
  const std::size_t rows = special + height * width, across = 2 * width - 1;
  OwnedRows table = test::normalRows(heads * rows, rows, 61);
  const OwnedRows numbers = test::normalRows(heads, (2 * height - 1) * across, 62);
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

TEST(AttentionBias, ByDistanceIsTheTablesOrTheMeanOfItsMembers) {
  for (const GridCase& grid : std::vector<GridCase>{{0, 1, 1},
                                                    {1, 3, 5},
                                                    {0, 4, 4},
                                                    {2, 5, 16},
                                                    {1, 1, 40},
                                                    {3, 9, 1},
                                                    {1, 7, 20},
                                                    {0, 13, 6},
                                                    {17, 4, 9}}) {
    SCOPED_TRACE(testing::Message()
                 << grid.special << " special, " << grid.height << " x " << grid.width);
    const OwnedRows table = tableByDistance(grid, 3);
    const PackedBias bias = packed(table, 3, grid.special);
    EXPECT_NE(bias.byDistance(), nullptr);
    expectTable(table, bias, 3);
    const std::size_t patches = grid.height * grid.width;
    for (const std::size_t live : {patches, (2 * patches + 2) / 3, (patches + 9) / 10})
      expectMeans(table, bias, 3, grid.special, live);
  }
  const GridCase grid{1, 3, 5};
  for (const std::size_t at : {17 * 16 + 3, 31 * 16 + 15, 1 * 16 + 1}) {  // one of them differs
    OwnedRows table = tableByDistance(grid, 2);
    table.data[at] += 1;
    const PackedBias bias = packed(table, 2, grid.special);
    EXPECT_EQ(bias.byDistance(), nullptr) << at;
    expectTable(table, bias, 2);
  }
}

TEST(AttentionBias, WhatExcludesStaysFiniteOrInfinite) {
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  OwnedRows table(1, 4);
  table.data = {kLowest, -kInfinity, 3, -kLowest};
  const PackedBias bias = packed(table, 1);
  const std::vector<float> columns = columnsOf({&bias}, 1, 1, 4).data;
  EXPECT_TRUE(std::isfinite(columns[0]) && std::isfinite(columns[3]));
  EXPECT_LT(columns[0], -1e29F);
  EXPECT_EQ(columns[1], -kInfinity);
  EXPECT_EQ(columns[2], 3 * kLog2E);
}

TEST(AttentionBias, IsAddedToTheLogits) {
  for (const auto& [queries, keys] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {7, 130}, {97, 33}, {64, 256}, {48, 48}}) {
    SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys, seed 51");
    const std::size_t heads = 3, dim = 3 * 20;
    const OwnedRows q = test::normalRows(queries, dim, 51), k = test::normalRows(keys, dim, 52);
    const OwnedRows v = test::normalRows(keys, dim, 53);
    const OwnedRows table = test::normalRows(heads * queries, keys, 54);
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
