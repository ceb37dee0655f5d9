// SPDX-License-Identifier: Apache-2.0
#include "merge/scope.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mpm::merge {
namespace {

using Ints = std::vector<std::int32_t>;

Ints sortedRows(const Slots& slots) {
  Ints rows;
  for (const std::int32_t row : slots.row) {
    if (row != kEmptySlot) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(Slots, EveryRowHasOneSlot) {
  Slots slots;
  arrangeSlots(100, {}, slots);
  const auto rows = sortedRows(slots);
  ASSERT_EQ(rows.size(), 100U);
  EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
  EXPECT_EQ(slots.panelCount(), 4U);
  EXPECT_EQ(slots.row.size(), 4 * kPanelSlots);
  EXPECT_TRUE(slots.ascending);
}

TEST(Slots, NoRowsMeanNoPanels) {
  Slots slots;
  arrangeSlots(0, {}, slots);
  EXPECT_EQ(slots.panelCount(), 0U);
}

TEST(Slots, ExtentsNeverDenyAnAllowedPair) {
  Scope scope;
  scope.window = 3;
  for (std::int32_t i = 0; i < 37 * 29; ++i) {
    scope.y.push_back(i / 29), scope.x.push_back(i % 29), scope.region.push_back(i % 3);
  }
  Slots slots;
  arrangeSlots(scope.y.size(), scope, slots);
  EXPECT_FALSE(slots.ascending);
  EXPECT_EQ(sortedRows(slots).size(), scope.y.size());
  for (std::size_t a = 0; a < scope.y.size(); ++a) {
    for (std::size_t b = 0; b < scope.y.size(); ++b) {
      const auto rowA = static_cast<std::size_t>(slots.row[a]);
      const auto rowB = static_cast<std::size_t>(slots.row[b]);
      if (!scope.allows(rowA, rowB)) continue;
      ASSERT_TRUE(
          mayPair(slots.panels[a / kPanelSlots], slots.panels[b / kPanelSlots], slots.window));
    }
  }
}

TEST(Slots, AWindowLeavesFewPanelsToMeet) {
  Scope scope;
  scope.window = 8;
  for (std::int32_t i = 0; i < 128 * 128; ++i)
    scope.y.push_back(i / 128), scope.x.push_back(i % 128);
  Slots slots;
  arrangeSlots(scope.y.size(), scope, slots);
  std::size_t meetings = 0;
  for (const Extent& a : slots.panels) {
    for (const Extent& b : slots.panels) meetings += mayPair(a, b, slots.window) ? 1 : 0;
  }
  EXPECT_LT(meetings, slots.panelCount() * 24);  // of 512
}

TEST(Scope, ALiveRowStandsWhereItsLowestMemberStood) {
  const Ints map = {1, 0, 0, 1, 2, 1};  // a grid of 2 x 3
  const Ints labels = {7, 8, 9, 7, 5, 7};
  MergeOptions options;
  options.window = 1, options.gridHeight = 2, options.gridWidth = 3,
  options.regions = labels.data();
  Scope scope;
  buildScope(options, map.data(), map.size(), 3, scope);
  EXPECT_EQ(scope.y, (Ints{0, 0, 1}));
  EXPECT_EQ(scope.x, (Ints{1, 0, 1}));
  EXPECT_EQ(scope.region, (Ints{8, 7, 5}));
}

}  // namespace
}  // namespace mpm::merge
