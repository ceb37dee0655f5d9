// SPDX-License-Identifier: Apache-2.0
// Arguments that do not fit are refused by name, before anything is written.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>

#include "mpm/merge.h"
#include "random_rows.h"

namespace mpm {
namespace {

using test::OwnedRows;
using Ints = std::vector<std::int32_t>;

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::string mergeRefusal(OwnedRows rows, const MergeOptions& options, Ints map,
                         std::size_t room = 99) {
  OwnedRows merged(room, rows.dim, -1);
  const std::string text = refusal(
      [&] { PairMerger().merge(rows.view(), options, map.data(), map.size(), merged.view()); });
  for (const float x : merged.data) EXPECT_EQ(x, -1);
  return text;
}

TEST(Refusal, NoFeatures) {
  EXPECT_EQ(mergeRefusal(OwnedRows(4, 0), {}, {0, 1, 2, 3}),
            "tokens have 0 features; expected at least 1");
}

TEST(Refusal, TooLittleRoom) {
  EXPECT_EQ(mergeRefusal(OwnedRows(4, 2, 1), {}, {0, 1, 2, 3}, 3),
            "merged has room for 3 x 2; expected 4 x 2");
}

TEST(Refusal, AMapThatPointsOutside) {
  EXPECT_EQ(mergeRefusal(OwnedRows(4, 2, 1), {}, {0, 1, 4, 3}),
            "map[2] = 4 points outside the 4 live rows");
  EXPECT_EQ(mergeRefusal(OwnedRows(4, 2, 1), {}, {0, 1, 2, -3}),
            "map[3] = -3 points outside the 4 live rows");
  OwnedRows live(2, 3), full(2, 3);
  const Ints map = {0, 2};
  EXPECT_EQ(refusal([&] { restore(live.view(), map.data(), full.view()); }),
            "map[1] = 2 points outside the 2 live rows");
  Ints sizes(2);
  EXPECT_EQ(refusal([&] { multiplicities(map.data(), 2, sizes.data(), 2); }),
            "map[1] = 2 points outside the 2 live rows");
}

TEST(Refusal, AWindowWithoutItsGrid) {
  MergeOptions options;
  options.window = 2;
  EXPECT_EQ(mergeRefusal(OwnedRows(4, 2, 1), options, {0, 1, 2, 3}),
            "window = 2 needs a grid of the 4 original tokens, but the grid is 0 x 0");
  options.gridHeight = 3, options.gridWidth = 2;
  EXPECT_EQ(mergeRefusal(OwnedRows(4, 2, 1), options, {0, 1, 2, 3}),
            "window = 2 needs a grid of the 4 original tokens, but the grid is 3 x 2");
  options.window = -1;
  EXPECT_EQ(mergeRefusal(OwnedRows(4, 2, 1), options, {0, 1, 2, 3}),
            "window = -1; expected 0 (no limit) or more");
}

TEST(Refusal, ALiveRowThatNobodyMapsTo) {
  MergeOptions options;
  options.window = 1, options.gridHeight = 2, options.gridWidth = 2;
  EXPECT_EQ(mergeRefusal(OwnedRows(4, 2, 1), options, {0, 1, 1, 3}),
            "no original token maps to live row 2; a window or regions need one for each");
}

TEST(Refusal, RestoringIntoAnotherLength) {
  OwnedRows live(2, 3), full(2, 4);
  const Ints map = {0, 1};
  EXPECT_EQ(refusal([&] { restore(live.view(), map.data(), full.view()); }),
            "restored rows have 4 features; expected 3");
}

}  // namespace
}  // namespace mpm
