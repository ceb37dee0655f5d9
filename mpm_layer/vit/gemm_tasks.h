// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "mpm/rows.h"
#include "processor/threads.h"
#include "vit/gemm.h"

namespace mpm::vit {

/// body(task) for each task in [0, count), shared out among the threads, always from within a
/// parallel region. There a GEMM library stays on the calling thread. Outside one it takes all
/// threads, and the order of its sums would depend on their number.
template <class Body>
void forEachGemmTask(std::size_t count, const Body& body) {
  if (count == 0) return;
  processor::forEachTask(std::max<std::size_t>(count, 2), [&](std::size_t task) {
    if (task < count) body(task);
  });
}

/// How a matrix of weights is stored.
enum class Layout { outByIn, inByOut };

/// out = in WT (outByIn) or in W (inByOut), tile by tile; then epilogue(tile, firstRow,
/// firstColumn) while the tile is in the cache. Tiles depend on the shape alone, so the result
/// does not depend on the number of threads.
template <class Epilogue>
void multiplyInTiles(ConstRows in, ConstRows weight, Layout layout, Rows out,
                     const Epilogue& epilogue) {
  constexpr std::size_t kTileRows = 128, kTileColumns = 384;
  const std::size_t down = (out.count + kTileRows - 1) / kTileRows;
  const std::size_t across = (out.dim + kTileColumns - 1) / kTileColumns;
  forEachGemmTask(down * across, [&](std::size_t task) {
    const std::size_t row = task % down * kTileRows, column = task / down * kTileColumns;
    const std::size_t rows = std::min(kTileRows, out.count - row);
    const std::size_t columns = std::min(kTileColumns, out.dim - column);
    const ConstRows inTile(in.row(row), rows, in.dim, in.stride);
    const Rows tile(out.row(row) + column, rows, columns, out.stride);
    if (layout == Layout::outByIn) {
      multiplyTransposed(inTile, {weight.row(column), columns, weight.dim, weight.stride}, tile);
    } else {
      multiply(inTile, {weight.data + column, weight.count, columns, weight.stride}, tile);
    }
    epilogue(tile, row, column);
  });
}

}  // namespace mpm::vit
