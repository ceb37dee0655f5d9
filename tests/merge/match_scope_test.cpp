// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "merge/matching.h"

namespace mpm::merge {
namespace {

using test::addRegions;
using test::gridScope;

TEST(MatchScope, AWindowLimitsTheDistance) {
  for (const int window : {1, 2, 5, 8, 13, 40}) {
    for (const auto& [height, width] : {std::pair{1, 50}, {50, 1}, {14, 14}, {23, 31}, {40, 25}}) {
      SCOPED_TRACE(testing::Message() << height << " x " << width << ", window " << window);
      const auto count = static_cast<std::size_t>(height * width);
      const Scope scope = gridScope(height, width, window);
      test::expectSameWhereClear(test::normalRows(count, 24, 1), scope, 0.99);
      test::expectSameEverywhere(test::signRows(count, 16, 2), scope);
    }
  }
}

TEST(MatchScope, AWindowWorksAcrossPackedSections) {  // 28 MiB of rows
  test::expectSameWhereClear(test::normalRows(7168, 1024, 3), gridScope(64, 112, 2));
}

// A section is one cell of the grid here, so that many sections never meet: what was packed last
// need not be what comes next, and sections at the edges are smaller.
TEST(MatchScope, SectionsThatAreSkippedLoseNothing) {
  for (const auto& [height, width] : {std::pair{20, 30}, {9, 61}, {28, 12}}) {
    SCOPED_TRACE(testing::Message() << height << " x " << width);
    const auto count = static_cast<std::size_t>(height * width);
    Scope scope = gridScope(height, width, 1);
    test::expectSameWhereClear(test::normalRows(count, 33000, 11), scope);
    addRegions(scope, count, 2, 12);
    test::expectSameWhereClear(test::normalRows(count, 33000, 13), scope);
  }
}

// Three sections: a patch of the grid, one far from it, and a smaller one below the first. The far
// one once grew the buffer that held the small one, which was then taken for packed.
TEST(MatchScope, AFarSectionLeavesAPackedOneAlone) {
  Scope scope;
  scope.window = 1;
  const auto addPlaces = [&](int top, int left, int count) {
    for (int i = 0; i < count; ++i) {
      scope.y.push_back(top + i / 8);
      scope.x.push_back(left + i % 8);
    }
  };
  addPlaces(0, 0, 64);
  addPlaces(8, 96, 64);
  addPlaces(8, 0, 20);
  test::expectSameWhereClear(test::normalRows(148, 40000, 14), scope, 0.99);
}

TEST(MatchScope, RegionsKeepPairsTogether) {
  for (const int labels : {1, 2, 7, 100, 5000}) {
    SCOPED_TRACE(testing::Message() << labels << " labels");
    Scope scope;
    addRegions(scope, 500, labels, 4);
    test::expectSameWhereClear(test::normalRows(500, 20, 5), scope);
    test::expectSameEverywhere(test::signRows(500, 16, 6), scope);
  }
}

TEST(MatchScope, RegionsMayBeAnyLabels) {
  Scope scope;
  for (int i = 0; i < 90; ++i) {
    scope.region.push_back(i % 2 == 0 ? std::numeric_limits<std::int32_t>::min()
                                      : std::numeric_limits<std::int32_t>::max());
  }
  test::expectSameEverywhere(test::signRows(90, 16, 7), scope);
}

TEST(MatchScope, WindowAndRegionsTogether) {
  for (const int window : {1, 4, 9}) {
    SCOPED_TRACE(window);
    Scope scope = gridScope(20, 30, window);
    addRegions(scope, 600, 5, 8);
    test::expectSameWhereClear(test::normalRows(600, 20, 9), scope);
    test::expectSameEverywhere(test::signRows(600, 16, 10), scope);
  }
}

}  // namespace
}  // namespace mpm::merge
