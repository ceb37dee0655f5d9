// SPDX-License-Identifier: Apache-2.0
// Attention of tokens on a grid: within windows, or with a bias by distance.
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

/// A grid of tokens, row by row, split into windows of windowHeight x windowWidth cells from its
/// first cell on. The last windows may extend over its edges.
struct WindowGrid {
  std::size_t height = 0, width = 0, windowHeight = 0, windowWidth = 0;

  std::size_t across() const { return (width + windowWidth - 1) / windowWidth; }
  std::size_t windows() const { return (height + windowHeight - 1) / windowHeight * across(); }
  bool reachesOver() const { return height % windowHeight != 0 || width % windowWidth != 0; }
  std::size_t windowOf(std::size_t token) const {
    return token / width / windowHeight * across() + token % width / windowWidth;
  }
};

/// Positions of queries and keys on a grid.
struct GridPositions {
  WindowGrid grid;
  const Members* members = nullptr;           ///< the tokens of each live row
  const RowWindows* windows = nullptr;        ///< of each live row, that of all of its tokens
  const DistanceTables* distances = nullptr;  ///< of the size of a window, or null
  /// q, k and v [3 heads d] of each cell outside the grid, which counts as one key; null if no
  /// window extends over the grid.
  const float* outside = nullptr;
};

/// Scratch memory for one image at a time.
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

/// Computes out [n x H d] = softmax over the keys of each row's window of (scale q kT + distances)
/// times v. Rows of q, k and v are [n x 3 H d]; `attention` has neither key weights nor a bias.
/// Uses all cores; `out` does not overlap the rows.
void gridAttentionCpu(ConstRows qkv, const Attention& attention, const GridPositions& positions,
                      Precision precision, GridScratch& scratch, Rows out);

}  // namespace mpm::vit
