// SPDX-License-Identifier: Apache-2.0
#include "vit/row_windows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "vit/in_precision.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/transformer_block.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;
using test::PoisonedRows;
using Numbers = std::vector<std::int32_t>;

TEST(RowWindows, PutRowsOfAWindowBehindEachOtherInTheirOrder) {
  RowWindows windows;
  windows.set({2, 0, 2, 0, 3, 0}, 5);
  EXPECT_EQ(windows.count(), 5U);
  EXPECT_EQ(windows.rows(), 6U);
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
    Numbers window;
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
