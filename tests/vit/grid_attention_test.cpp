// SPDX-License-Identifier: Apache-2.0
// Windows of a grid, cells beside it, and what distances add, of rows that are merged or not.
#include "vit/grid_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>
#include <vector>

#include "tolerances.h"
#include "vit/in_precision.h"
#include "vit/poisoned_rows.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;

/// For each token the live row that it went into: about every third with another one of its window.
std::vector<std::int32_t> mergedWithin(const WindowGrid& grid, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::int32_t> map;
  std::vector<std::vector<std::int32_t>> liveOf(grid.windows());
  std::int32_t live = 0;
  for (std::size_t token = 0; token < grid.height * grid.width; ++token) {
    std::vector<std::int32_t>& own = liveOf[grid.windowOf(token)];
    if (own.empty() || random() % 3 != 0) own.push_back(live++);
    map.push_back(own[random() % own.size()]);
  }
  // A row that nothing went into would be none.
  std::vector<std::int32_t> names(static_cast<std::size_t>(live), -1);
  std::int32_t next = 0;
  for (std::int32_t& row : map) {
    std::int32_t& name = names[static_cast<std::size_t>(row)];
    if (name < 0) name = next++;
    row = name;
  }
  return map;
}

struct GridAttentionCase {
  WindowGrid grid;
  std::size_t heads, d;
  bool hasDistances;
};

std::ostream& operator<<(std::ostream& out, const GridAttentionCase& given) {
  const WindowGrid& grid = given.grid;
  return out << grid.height << "x" << grid.width << " in windows of " << grid.windowHeight << "x"
             << grid.windowWidth << ", " << given.heads << " heads of " << given.d
             << (given.hasDistances ? ", with distances" : "");
}

const GridAttentionCase kCases[] = {
    {{1, 1, 1, 1}, 1, 3, true},    {{4, 6, 2, 3}, 2, 4, false},   {{5, 7, 2, 3}, 2, 8, true},
    {{5, 7, 2, 3}, 1, 16, false},  {{9, 11, 9, 11}, 2, 20, true}, {{10, 13, 7, 7}, 3, 16, true},
    {{2, 16, 1, 16}, 1, 32, true}, {{3, 5, 3, 1}, 1, 6, true},    {{16, 16, 14, 14}, 2, 64, true}};

class GridAttention : public test::InPrecision {};

void expectAgreement(const GridAttentionCase& given, bool isMerged, Precision precision,
                     double tolerance, GridScratch& scratch) {
  const std::uint32_t seed = 17;
  SCOPED_TRACE(testing::Message() << given << (isMerged ? ", merged" : "") << ", seed " << seed);
  const std::size_t tokens = given.grid.height * given.grid.width, width = given.heads * given.d;
  std::vector<std::int32_t> map = mergedWithin(given.grid, seed);
  const std::size_t live =
      isMerged ? static_cast<std::size_t>(*std::max_element(map.begin(), map.end())) + 1 : tokens;
  Members members;
  members.set(isMerged ? map.data() : nullptr, tokens, 0, live);
  std::vector<std::int32_t> windowOf;
  for (std::size_t row = 0; row < live; ++row)
    windowOf.push_back(static_cast<std::int32_t>(
        given.grid.windowOf(static_cast<std::size_t>(*members.begin(row)))));
  RowWindows windows;
  windows.set(windowOf, given.grid.windows());

  PoisonedRows qkv(test::normalRows(live, 3 * width, seed + 1));
  const OwnedRows down = test::normalRows(2 * given.grid.windowHeight - 1, given.d, seed + 2);
  const OwnedRows across = test::normalRows(2 * given.grid.windowWidth - 1, given.d, seed + 3);
  const OwnedRows outside = test::normalRows(1, 3 * width, seed + 4);
  const Attention attention{given.heads, 1 / std::sqrt(static_cast<float>(given.d))};
  GridTables tables{given.grid, {}, {}, outside.data.data()};
  DistanceTables packed;
  if (given.hasDistances) {
    tables.down = down.view();
    tables.across = across.view();
    packed = {tables.down, tables.across};
  }
  OwnedRows expected(live, width);
  PoisonedRows actual(live, width);
  gridAttentionReference(qkv.view(), attention, tables, members, expected.view());
  const GridPositions positions{given.grid, &members, &windows,
                                given.hasDistances ? &packed : nullptr,
                                given.grid.reachesOver() ? outside.data.data() : nullptr};
  gridAttentionCpu(qkv.view(), attention, positions, precision, scratch, actual.view());
  test::expectNear(actual.view(), expected.view(), tolerance);
  actual.expectPoisonUntouched();
}

TEST_P(GridAttention, AgreesWithTheReference) {
  GridScratch scratch;  // shared: what an earlier call left must not matter
  // Of values within 4, where the tolerances are of values within 1.
  const double tolerance = isFp32()   ? test::kVitOperation
                           : isFp16() ? 4 * test::kFp16Attention
                                      : 4 * test::kBf16Attention;
  for (const GridAttentionCase& given : kCases) {
    for (const bool isMerged : {false, true})
      expectAgreement(given, isMerged, GetParam(), tolerance, scratch);
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, GridAttention,
                         testing::Values(Precision::fp32, Precision::bf16, Precision::fp16),
                         test::nameOfPrecision);

// By hand: two cells side by side, q = 1 and k = 0 everywhere, so that distances alone weigh. The
// left query is -1 from the right key: across[0] = ln 3.
TEST(GridDistances, ReachFromTheQueryToTheKey) {
  const float third = std::log(3.0F);
  const std::vector<float> qkv{1, 0, 8, 1, 0, 4}, down{0}, across{third, 0, 0};
  const DistanceTables tables{{down.data(), 1, 1}, {across.data(), 3, 1}};
  Members members;
  members.set(nullptr, 0, 0, 2);
  RowWindows windows;
  windows.set({0, 0}, 1);
  const GridPositions positions{{1, 2, 1, 2}, &members, &windows, &tables};
  std::vector<float> out(2);
  GridScratch scratch;
  gridAttentionCpu({qkv.data(), 2, 3}, {1, 1}, positions, Precision::fp32, scratch,
                   {out.data(), 2, 1});
  EXPECT_NEAR(out[0], 5, 1e-5) << "8 / 4 + 4 * 3 / 4";
  EXPECT_NEAR(out[1], 6, 1e-5);
}

// A cell beside the grid is a key once: of three equal keys it has a third.
TEST(GridWindows, CellsBesideTheGridAreKeys) {
  const std::vector<float> qkv{1, 1, 3, 1, 1, 6, 1, 1, 9}, outside{7, 1, 30};
  Members members;
  members.set(nullptr, 0, 0, 3);
  RowWindows windows;
  windows.set({0, 0, 1}, 2);
  const GridPositions positions{{1, 3, 1, 2}, &members, &windows, nullptr, outside.data()};
  std::vector<float> out(3);
  GridScratch scratch;
  gridAttentionCpu({qkv.data(), 3, 3}, {1, 1}, positions, Precision::fp32, scratch,
                   {out.data(), 3, 1});
  EXPECT_NEAR(out[0], 4.5, 1e-5);
  EXPECT_NEAR(out[1], 4.5, 1e-5);
  EXPECT_NEAR(out[2], 19.5, 1e-5);
}

}  // namespace
}  // namespace mpm::vit
