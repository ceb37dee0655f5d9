// SPDX-License-Identifier: Apache-2.0
// Matching by each implementation against the reference: the same tables for processor and device.
#include "merge/match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "merge/implementation.h"

namespace mpm::merge {
namespace {

using test::addRegions;
using test::gridScope;
using test::OwnedRows;

// Around a SIMD width, a panel, a warp and a tile.
constexpr std::size_t kCounts[] = {0,  1,  2,   3,   15,  16,  17,  31,   32,
                                   33, 64, 127, 128, 129, 196, 197, 1024, 1025};

class MatchTest : public testing::TestWithParam<test::Implementation> {
 protected:
  static bool isDevice() { return GetParam().isDevice; }
  static OwnedRows held(const OwnedRows& rows) { return GetParam().hold(rows); }
  static std::vector<Match> match(const OwnedRows& rows, const Scope& scope = {}) {
    return GetParam().match(rows, scope);
  }
  static void expectSameWhereClear(const OwnedRows& rows, const Scope& scope = {},
                                   double least = test::kMostRows) {
    const OwnedRows given = held(rows);
    test::expectSameWhereClear(GetParam(), given.view(), scope, match(given, scope), least);
  }
  /// For rows whose similarities are exact: the same match everywhere, ties included.
  static void expectSameEverywhere(const OwnedRows& rows, const Scope& scope = {}) {
    const auto expected = test::matchByReference(rows.view(), scope);
    const auto actual = match(rows, scope);
    for (std::size_t i = 0; i < rows.count; ++i) {
      ASSERT_EQ(actual[i].row, expected[i].row) << "row " << i;
    }
  }
  /// Rows by chance where the choice is clear, rows of signs everywhere.
  static void expectSameBothWays(std::size_t rows, std::size_t dim, const Scope& scope,
                                 std::uint32_t seed, double least = test::kMostRows) {
    expectSameWhereClear(test::normalRows(rows, dim, seed), scope, least);
    expectSameEverywhere(test::signRows(rows, 16, seed + 1), scope);
  }
};

TEST_P(MatchTest, AgreesWithTheReferenceOnNormalRows) {
  for (const std::size_t count : kCounts) {
    for (const std::size_t dim : {2, 3, 17, 64, 129, 192}) {
      // Seconds each.
      if (isDevice() && count > 1000 && dim != (count == 1024 ? 17 : 129)) continue;
      SCOPED_TRACE(testing::Message() << count << " x " << dim << ", seed " << count + dim);
      // Of rows that lie in a plane many have two best ones.
      const double inAPlane = isDevice() ? 0.7 : 0.8;
      expectSameWhereClear(test::normalRows(count, dim, static_cast<std::uint32_t>(count + dim)),
                           {},
                           dim == 2   ? inAPlane
                           : dim < 17 ? test::kMostRows
                                      : 0.99);
    }
  }
  if (!isDevice()) expectSameWhereClear(test::normalRows(4096, 48, 4096));
}

TEST_P(MatchTest, AgreesWithTheReferenceOnSmoothRows) {
  for (const std::size_t count : kCounts) {
    for (const std::size_t dim : {16, 192, 768}) {
      if (count * dim > (isDevice() ? 160000U : 200000U)) continue;
      SCOPED_TRACE(testing::Message() << count << " x " << dim);
      expectSameWhereClear(test::smoothRows(count, dim, 5));
    }
  }
}

TEST_P(MatchTest, TiesTakeTheLowestRow) {
  for (const std::size_t count : kCounts) {
    for (const std::size_t dim : {1, 4, 16, 64, 256}) {
      if (isDevice() && (count == 1024 || (count > 1000 && dim > 16))) continue;
      SCOPED_TRACE(testing::Message() << count << " x " << dim << ", seed " << count * dim);
      expectSameEverywhere(test::signRows(count, dim, static_cast<std::uint32_t>(count * dim)));
    }
  }
  for (const std::size_t count : {100, 200}) {  // all equal
    const auto best = match(held(OwnedRows(count, 48, 0.3F)));
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(best[i].row, i == 0 ? 1 : 0) << "row " << i;
  }
}

TEST_P(MatchTest, NonFiniteRowsMatchNothing) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const std::int32_t count : {70, 140}) {
    OwnedRows rows = held(test::normalRows(static_cast<std::size_t>(count), 20, 3));
    rows.row(0)[0] = kNan;  // the first row, which padding reads
    rows.row(33)[7] = kInfinity;
    rows.row(rows.count - 1)[19] = -kInfinity;
    expectSameWhereClear(rows);
    for (const Match& match : match(rows)) {
      EXPECT_TRUE(match.row != 0 && match.row != 33 && match.row != count - 1);
    }
    std::fill(rows.data.begin(), rows.data.end(), kNan);
    for (const Match& match : match(rows)) EXPECT_EQ(match.row, kNoMatch);
  }
}

TEST_P(MatchTest, OfZeroAndOppositeRows) {
  OwnedRows rows(40, 4);  // every row zero but two opposite ones
  rows.row(10)[0] = 1, rows.row(20)[0] = -1;
  const auto best = match(rows);
  EXPECT_EQ(best[0].row, 1);
  EXPECT_EQ(best[5].row, 0);
  EXPECT_EQ(best[10].row, 0);  // 0 is more than the -1 of row 20
  EXPECT_EQ(best[10].similarity, 0);
  expectSameEverywhere(rows);

  OwnedRows apart(3, 2);  // three rows far from each other, the other slots empty
  apart.data = {1, 0, -0.5F, 0.9F, -0.5F, -0.8F};
  expectSameWhereClear(apart, {}, 1);

  OwnedRows minusZero(3, 2);  // row 1 is at a right angle to row 0, from the other side
  minusZero.data = {1, 0, -0.0F, -1, 0, 1};
  EXPECT_EQ(match(minusZero)[0].row, 1);
}

TEST_P(MatchTest, ScaleDoesNotMatter) {
  const OwnedRows rows = held(test::normalRows(130, 24, 8));
  const auto expected = match(rows);
  for (const float scale : {1e-36F, 1e30F, 2.5e37F}) {
    SCOPED_TRACE(scale);
    OwnedRows scaled = rows;
    for (float& x : scaled.data) x *= scale;
    expectSameWhereClear(scaled);
    if (GetParam().isBf16) continue;  // which rounds again
    const auto actual = match(scaled);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(actual[i].row, expected[i].row);
  }
  if (GetParam().isBf16) return;
  OwnedRows least(20, 16);  // multiples of 1.4e-45, exact as integers
  std::uint32_t state = 5;
  for (float& x : least.data) {
    state = state * 1664525U + 1013904223U;
    x = std::numeric_limits<float>::denorm_min() * static_cast<float>(state >> 28);
  }
  expectSameWhereClear(least, {}, 0.5);
}

TEST_P(MatchTest, AWindowLimitsTheDistance) {
  for (const int window : {1, 2, 5, 8, 13, 40}) {
    for (const auto& [height, width] : {std::pair{1, 50}, {50, 1}, {14, 14}, {23, 31}, {40, 25}}) {
      SCOPED_TRACE(testing::Message() << height << " x " << width << ", window " << window);
      expectSameBothWays(static_cast<std::size_t>(height * width), 24,
                         gridScope(height, width, window), 1, 0.99);
    }
  }
}

TEST_P(MatchTest, RegionsKeepPairsTogether) {
  for (const int labels : {1, 2, 7, 100, 5000}) {
    SCOPED_TRACE(testing::Message() << labels << " labels");
    Scope scope;
    addRegions(scope, 500, labels, 4);
    expectSameBothWays(500, 20, scope, 5);
  }
  Scope any;
  for (int i = 0; i < 90; ++i) {
    any.region.push_back(i % 2 == 0 ? std::numeric_limits<std::int32_t>::min()
                                    : std::numeric_limits<std::int32_t>::max());
  }
  expectSameEverywhere(test::signRows(90, 16, 7), any);
}

TEST_P(MatchTest, AWindowAndRegionsTogether) {
  for (const auto& [height, width, labels] : {std::tuple{20, 30, 5}, {37, 29, 3}}) {
    for (const int window : {1, 3, 4, 9}) {
      SCOPED_TRACE(testing::Message() << height << " x " << width << ", window " << window);
      const auto rows = static_cast<std::size_t>(height * width);
      Scope scope = gridScope(height, width, window);
      addRegions(scope, rows, labels, 8);
      expectSameBothWays(rows, 20, scope, 9);
    }
  }
}

// Tiles of which no two rows may pair are left out; those that only just may are not.
TEST_P(MatchTest, TilesThatOnlyJustMeetAreKept) {
  const Scope scope = gridScope(1, 300, 1);
  OwnedRows rows = test::signRows(300, 64, 11);
  for (const std::size_t last : {127, 255}) {  // of a tile: equal to the next one's first row
    std::copy_n(rows.row(last), rows.dim, rows.row(last + 1));
  }
  expectSameEverywhere(rows, scope);
  const auto best = match(rows, scope);
  EXPECT_EQ(best[127].row, 128);
  EXPECT_EQ(best[256].row, 255);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MatchTest);
INSTANTIATE_TEST_SUITE_P(, MatchTest, testing::ValuesIn(test::implementations()), test::nameOf);

}  // namespace
}  // namespace mpm::merge
