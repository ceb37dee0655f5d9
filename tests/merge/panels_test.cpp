// SPDX-License-Identifier: Apache-2.0
// What matching on the processor makes of its panels, sections and threads.
#include "merge/panels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "merge/implementation.h"
#include "processor/pool.h"

namespace mpm::merge {
namespace {

using test::gridScope;
using test::OwnedRows;

std::vector<Match> match(ConstRows rows, const Scope& scope = {}) {
  std::vector<Match> best(rows.count);
  MatchScratch scratch;
  matchCpu(rows, scope, scratch, best.data());
  return best;
}

void expectSame(const std::vector<Match>& actual, const std::vector<Match>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(actual[i].row, expected[i].row) << "row " << i;
    ASSERT_EQ(actual[i].similarity, expected[i].similarity) << "row " << i;
  }
}

TEST(Panels, DoNotDependOnTheNumberOfThreads) {
  const OwnedRows rows = test::smoothRows(600, 100, 2);
  processor::setThreadCount(1);
  const auto expected = match(rows.view());
  for (const int count : {2, 3, 4, 7}) {
    SCOPED_TRACE(testing::Message() << count << " threads");
    processor::setThreadCount(count);
    expectSame(match(rows.view()), expected);
  }
  processor::setThreadCount(0);
}

TEST(Panels, ReadRowsByTheirStride) {
  OwnedRows wide = test::normalRows(50, 30, 6), narrow(50, 21);
  for (std::size_t i = 0; i < 50; ++i) std::copy_n(wide.row(i), 21, narrow.row(i));
  expectSame(match({wide.data.data(), 50, 21, 30}), match(narrow.view()));
}

// The last values are subnormal; features left over by whole vectors are packed one by one.
TEST(Panels, AValueDoesNotDependOnItsPlaceInTheRow) {
  for (const std::size_t dim : {2, 3, 4, 5, 6, 7, 11, 18, 33}) {
    OwnedRows rows(kPanelSlots, dim);
    const OwnedRows values = test::normalRows(kPanelSlots, 1, 18);
    for (std::size_t i = 0; i < rows.count; ++i) {
      std::fill_n(rows.row(i), dim, values.data[i] * (i < 28 ? 1.0F : 1e-40F));
    }
    const std::vector<float> zeros(dim, 0.0F);
    Slots slots;
    arrangeSlots(rows.count, {}, slots);
    std::vector<float> panel(dim * kPanelSlots, -1);
    packPanel(rows.view(), zeros.data(), slots, 0, panel.data());
    for (std::size_t i = 0; i < panel.size(); ++i) {
      EXPECT_EQ(panel[i], panel[i % kPanelSlots]) << dim << " features, at " << i;
    }
  }
}

TEST(Panels, FewOfThemMeetInAWindow) {
  Slots slots;
  arrangeSlots(128 * 128, gridScope(128, 128, 8), slots);
  std::size_t meetings = 0;
  for (const Extent& a : slots.panels) {
    for (const Extent& b : slots.panels) meetings += mayPair(a, b, slots.window) ? 1 : 0;
  }
  EXPECT_LT(meetings, slots.panelCount() * 24);  // of 512
}

void expectReference(const OwnedRows& rows, const Scope& scope, double least = test::kMostRows) {
  test::expectSameWhereClear(test::implementations()[0], rows.view(), scope,
                             match(rows.view(), scope), least);
}

TEST(Sections, OfManyRowsAreMatchedWithEachOther) {
  expectReference(test::normalRows(208, 33000, 9), {});                     // 26 MiB: two
  expectReference(test::normalRows(7168, 1024, 3), gridScope(64, 112, 2));  // 28 MiB
}

// A section is one cell of the grid here, so that many sections never meet: what was packed last
// need not be what comes next, and sections at the edges are smaller.
TEST(Sections, ThatAreSkippedLoseNothing) {
  for (const auto& [height, width] : {std::pair{20, 30}, {9, 61}, {28, 12}}) {
    SCOPED_TRACE(testing::Message() << height << " x " << width);
    const auto count = static_cast<std::size_t>(height * width);
    Scope scope = gridScope(height, width, 1);
    expectReference(test::normalRows(count, 33000, 11), scope);
    test::addRegions(scope, count, 2, 12);
    expectReference(test::normalRows(count, 33000, 13), scope);
  }
}

// Three sections: a patch of the grid, one far from it, and a smaller one below the first. The far
// one once grew the buffer that held the small one, which was then taken for packed.
TEST(Sections, AFarOneLeavesAPackedOneAlone) {
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
  expectReference(test::normalRows(148, 40000, 14), scope, 0.99);
}

}  // namespace
}  // namespace mpm::merge
