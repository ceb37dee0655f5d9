// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "merge/cuda/matching.h"

namespace mpm::merge {
namespace {

using test::addRegions;
using test::gridScope;

class MatchScopeCuda : public test::OnDevice {};

TEST_F(MatchScopeCuda, AWindowLimitsTheDistance) {
  for (const int window : {1, 2, 5, 13, 40}) {
    for (const auto& [height, width] : {std::pair{1, 50}, {50, 1}, {14, 14}, {23, 31}, {40, 25}}) {
      SCOPED_TRACE(testing::Message() << height << " x " << width << ", window " << window);
      const auto count = static_cast<std::size_t>(height * width);
      const Scope scope = gridScope(height, width, window);
      test::expectSameWhereClear(test::normalRows(count, 24, 1), scope, Element::float32, 0.99);
      test::expectSameEverywhere(test::signRows(count, 16, 2), scope);
    }
  }
}

TEST_F(MatchScopeCuda, RegionsKeepPairsTogether) {
  for (const int labels : {1, 2, 7, 100, 5000}) {
    SCOPED_TRACE(testing::Message() << labels << " labels");
    Scope scope;
    addRegions(scope, 500, labels, 4);
    test::expectSameWhereClear(test::normalRows(500, 20, 5), scope, Element::bfloat16);
    test::expectSameEverywhere(test::signRows(500, 16, 6), scope);
  }
}

TEST_F(MatchScopeCuda, RegionsMayBeAnyLabels) {
  Scope scope;
  for (int i = 0; i < 90; ++i) {
    scope.region.push_back(i % 2 == 0 ? std::numeric_limits<std::int32_t>::min()
                                      : std::numeric_limits<std::int32_t>::max());
  }
  test::expectSameEverywhere(test::signRows(90, 16, 7), scope);
}

TEST_F(MatchScopeCuda, WindowAndRegionsTogether) {
  for (const int window : {1, 4, 9}) {
    SCOPED_TRACE(window);
    Scope scope = gridScope(20, 30, window);
    addRegions(scope, 600, 5, 8);
    test::expectSameWhereClear(test::normalRows(600, 20, 9), scope);
    test::expectSameEverywhere(test::signRows(600, 16, 10), scope);
  }
}

// Tiles of which no two rows may pair are left out; those that only just may are not.
TEST_F(MatchScopeCuda, TilesThatOnlyJustMeetAreKept) {
  const Scope scope = gridScope(1, 300, 1);
  test::OwnedRows rows = test::signRows(300, 64, 11);
  for (const std::size_t last : {127, 255}) {  // of a tile: equal to the next one's first row
    std::copy_n(rows.row(last), rows.dim, rows.row(last + 1));
  }
  test::expectSameEverywhere(rows, scope);
  const auto best = test::matchOnDevice(rows, scope);
  EXPECT_EQ(best[127].row, 128);
  EXPECT_EQ(best[256].row, 255);
}

}  // namespace
}  // namespace mpm::merge
