// SPDX-License-Identifier: Apache-2.0
// How rows are shared out: in tiles for threads, and in windows of a block.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "processor/pool.h"
#include "vit/in_precision.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/row_tiles.h"
#include "vit/row_windows.h"
#include "vit/transformer_block.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;

// Without gaps, in order, none empty, none larger than asked for, each beginning where pairs of
// rows and whole vectors of columns do.
void expectSharedOut(const RowTiles& tiles, std::size_t rows, std::size_t largest,
                     std::size_t step) {
  std::size_t next = 0;
  for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
    ASSERT_EQ(tiles.begin(tile), next);
    ASSERT_EQ(next % step, 0U);
    ASSERT_GT(tiles.rows(tile), 0U);
    ASSERT_LE(tiles.rows(tile), largest);
    next += tiles.rows(tile);
  }
  ASSERT_EQ(next, rows);
}

TEST(RowTiles, ShareOutEveryRowOnceAndAreEnoughForEveryThread) {
  for (const int threads : {1, 2, 3, 5, 16, 64}) {
    processor::setThreadCount(threads);
    const auto count = static_cast<std::size_t>(threads);
    for (std::size_t rows = 0; rows < 2100; rows += rows < 300 ? 1 : 37) {
      SCOPED_TRACE(testing::Message() << rows << " rows, " << threads << " threads");
      for (const std::size_t largest : {kTileRows, 2 * kTileRows})
        expectSharedOut(RowTiles(rows, largest), rows, largest, kColumnStep);
      const RowTiles few = RowTiles::ofFew(rows);
      expectSharedOut(few, rows, kTileRows, 1);
      ASSERT_LE(few.count(), (rows / (kTileRows * count) + 1) * count);
    }
    const RowTiles rest = RowTiles::ofFew(count * (kTileRows + 8));
    EXPECT_EQ(rest.count(), 2 * count);  // whole tiles for each thread, then a rest for each
    EXPECT_EQ(rest.rows(2 * count - 1), 8U);
    EXPECT_GE(RowTiles(count * kColumnStep).count(), count) << threads << " threads";
    if (threads <= 16) {
      EXPECT_GE(RowTiles(1025).count(), count) << threads << " threads";
    }
  }
  processor::setThreadCount(0);
}

TEST(RowWindows, PutRowsOfAWindowBehindEachOtherInTheirOrder) {
  RowWindows windows;
  windows.set({2, 0, 2, 0, 3, 0}, 5);
  std::vector<std::size_t> order, sizes;
  for (std::size_t place = 0; place < windows.rows(); ++place) order.push_back(windows.row(place));
  for (std::size_t window = 0; window < windows.count(); ++window)
    sizes.push_back(windows.rowsOf(window));
  EXPECT_EQ(order, (std::vector<std::size_t>{1, 3, 5, 0, 2, 4}));
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 0, 2, 1, 0}));
  windows.set({1, 0}, 2);  // nothing is left of what was set before
  EXPECT_EQ(windows.rows(), 2U);
  EXPECT_EQ(windows.row(0), 1U);
}

class WindowedBlockIn : public test::InPrecision {};

// Whether a window fills tiles, lies between two, has one row or none; rows of another may be
// anything, NaN too.
TEST_P(WindowedBlockIn, AWindowGivesTheBitsThatItGivesAlone) {
  test::RandomNetwork network(81);
  BlockScratch scratch, alone;
  RowWindows windows;
  for (const std::size_t dim : {24, 528}) {
    const PackedBlock block(network.block(dim, 3, Gelu::erf), GetParam());
    std::vector<std::int32_t> window;
    const std::size_t sizes[] = {101, 1, 0, 48, 130, 17};
    for (std::size_t turn = 0; turn < 130; ++turn) {  // mixed as rows of a grid are
      for (std::size_t w = 0; w < std::size(sizes); ++w) {
        if (turn < sizes[w]) window.push_back(static_cast<std::int32_t>(w));
      }
    }
    windows.set(window, std::size(sizes));
    OwnedRows in = test::normalRows(window.size(), dim, 82);
    in.row(windows.row(windows.begin(5)))[3] = std::numeric_limits<float>::quiet_NaN();
    PoisonedRows actual(in);
    transformerBlockCpu(actual.view(), block, windows, scratch, actual.view());
    actual.expectPoisonUntouched();
    for (std::size_t w = 0; w < 5; ++w) {
      OwnedRows expected(windows.rowsOf(w), dim), got(windows.rowsOf(w), dim);
      for (std::size_t i = 0; i < expected.count; ++i) {
        const std::size_t row = windows.row(windows.begin(w) + i);
        std::copy_n(in.row(row), dim, expected.row(i));
        std::copy_n(ConstRows(actual.view()).row(row), dim, got.row(i));
      }
      transformerBlockCpu(expected.view(), block, nullptr, alone, expected.view());
      SCOPED_TRACE(testing::Message() << "window " << w << ", " << dim << " features");
      test::expectNear(got.view(), expected.view(), 0);
    }
  }
}

MPM_IN_EACH_PRECISION(WindowedBlockIn);

}  // namespace
}  // namespace mpm::vit
