// SPDX-License-Identifier: Apache-2.0
// Attention of tokens on a grid: within windows, or by how far two of them are apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpm/rows.h"
#include "processor/float_buffer.h"
#include "vit/attention.h"
#include "vit/distances.h"
#include "vit/positions.h"
#include "vit/row_windows.h"

namespace mpm::vit {

/// A grid of tokens, row by row, dealt out to windows of windowHeight x windowWidth cells from its
/// first cell on. The last ones may reach over its edges.
struct WindowGrid {
  std::size_t height = 0, width = 0, windowHeight = 0, windowWidth = 0;

  std::size_t across() const { return (width + windowWidth - 1) / windowWidth; }
  std::size_t windows() const { return (height + windowHeight - 1) / windowHeight * across(); }
  bool reachesOver() const { return height % windowHeight != 0 || width % windowWidth != 0; }
  std::size_t windowOf(std::size_t token) const {
    return token / width / windowHeight * across() + token % width / windowWidth;
  }
};

/// What queries and keys of a grid have beside their features.
struct GridPositions {
  WindowGrid grid;
  const Members* members = nullptr;           ///< the tokens of each live row
  const RowWindows* windows = nullptr;        ///< of each live row, that of all of its tokens
  const DistanceTables* distances = nullptr;  ///< of the size of a window, or null
  /// q, k and v [3 heads d] of each cell beside the grid, which is a key once; none where no window
  /// reaches over it.
  const float* outside = nullptr;
};

/// Memory for one image at a time.
struct GridScratch {
  struct Tile {
    std::size_t window, first, rows;  ///< of the window's rows
  };

  processor::FloatBuffer rows;              ///< window by window, cells beside the grid behind
  std::vector<std::size_t> begins, live;    ///< of each window: its first row, and how many live
  RowCells cells;                           ///< of the same rows
  std::vector<AttentionOperands> operands;  ///< of each window
  std::vector<Tile> tiles;
};

/// out [n x H d] = softmax over the keys of each row's window of (scale q kT + distances) times v,
/// for rows of q, k and v [n x 3 H d] side by side; `attention` has neither weights of keys nor a
/// bias. On all cores; `out` does not overlap the rows.
void gridAttentionCpu(ConstRows qkv, const Attention& attention, const GridPositions& positions,
                      Precision precision, GridScratch& scratch, Rows out);

}  // namespace mpm::vit
