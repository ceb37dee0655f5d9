// SPDX-License-Identifier: Apache-2.0
#include "vit/row_tiles.h"

#include <gtest/gtest.h>

#include "processor/pool.h"

namespace mpm::vit {
namespace {

// Without gaps, in order, none empty, none larger than asked for, each beginning where pairs of
// rows and whole vectors of columns do.
TEST(RowTiles, ShareOutEveryRowOnce) {
  for (const int threads : {1, 2, 3, 5, 16, 64}) {
    processor::setThreadCount(threads);
    for (const std::size_t largest : {kTileRows, 2 * kTileRows}) {
      for (std::size_t rows = 0; rows < 2100; rows += rows < 300 ? 1 : 37) {
        SCOPED_TRACE(testing::Message()
                     << rows << " rows, " << threads << " threads, at most " << largest);
        const RowTiles tiles(rows, largest);
        std::size_t next = 0;
        for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
          ASSERT_EQ(tiles.begin(tile), next);
          ASSERT_EQ(next % kColumnStep, 0U);
          ASSERT_GT(tiles.rows(tile), 0U);
          ASSERT_LE(tiles.rows(tile), largest);
          next += tiles.rows(tile);
        }
        ASSERT_EQ(next, rows);
      }
    }
  }
  processor::setThreadCount(0);
}

TEST(RowTiles, OfFewRowsAreLargeAndAsManyForEachThread) {
  for (const int threads : {1, 2, 5}) {
    processor::setThreadCount(threads);
    for (std::size_t rows = 0; rows < 700; ++rows) {
      SCOPED_TRACE(testing::Message() << rows << " rows, " << threads << " threads");
      const RowTiles tiles = RowTiles::ofFew(rows);
      std::size_t next = 0;
      for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
        ASSERT_EQ(tiles.begin(tile), next);
        ASSERT_GT(tiles.rows(tile), 0U);
        ASSERT_LE(tiles.rows(tile), kTileRows);
        next += tiles.rows(tile);
      }
      ASSERT_EQ(next, rows);
      const auto count = static_cast<std::size_t>(threads);
      ASSERT_LE(tiles.count(), (rows / (kTileRows * count) + 1) * count);
      if (rows == count * (kTileRows + 8)) {  // whole tiles for each thread, then a rest for each
        ASSERT_EQ(tiles.count(), 2 * count);
        ASSERT_EQ(tiles.rows(2 * count - 1), 8U);
      }
    }
  }
  processor::setThreadCount(0);
}

TEST(RowTiles, AreEnoughForEveryThread) {
  for (const int threads : {1, 2, 3, 5, 16}) {
    processor::setThreadCount(threads);
    const auto count = static_cast<std::size_t>(threads);
    EXPECT_GE(RowTiles(count * kColumnStep).count(), count) << threads << " threads";
    EXPECT_GE(RowTiles(1025).count(), count) << threads << " threads";
  }
  processor::setThreadCount(0);
}

}  // namespace
}  // namespace mpm::vit
