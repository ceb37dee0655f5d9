// SPDX-License-Identifier: Apache-2.0
// Bias of attention for how far key and query are apart on a grid, separately down and across:
// decomposed relative positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpm/rows.h"
#include "vit/linear.h"

namespace mpm::vit {

/// A vector of a head's d features for each distance, query minus key, down and across a window of
/// height x width cells. Row height - 1 + y is for y cells. Query q and key k get q . down[y] + q .
/// across[x].
class DistanceTables {
 public:
  DistanceTables() = default;
  /// Takes down [2 height - 1 x d] and across [2 width - 1 x d].
  DistanceTables(ConstRows down, ConstRows across);

  std::size_t height() const { return (down_.outputs() + 1) / 2; }
  std::size_t width() const { return (across_.outputs() + 1) / 2; }
  const PackedMatrix& down() const { return down_; }
  const PackedMatrix& across() const { return across_; }

 private:
  PackedMatrix down_, across_;
};

/// The cells of a window that each of some rows stands for, row after row.
class RowCells {
 public:
  struct Cell {
    std::int32_t y = 0, x = 0;
  };

  void clear();
  void add(Cell cell) { cells_.push_back(cell); }
  void endRow() { starts_.push_back(cells_.size()); }  ///< of the cells that were added since

  std::size_t rows() const { return starts_.size() - 1; }
  const Cell* begin(std::size_t row) const { return cells_.data() + starts_[row]; }
  const Cell* end(std::size_t row) const { return cells_.data() + starts_[row + 1]; }

 private:
  std::vector<std::size_t> starts_{0};
  std::vector<Cell> cells_;
};

/// Rows of one window, which are queries and keys alike, and their biases. Merged rows get the mean
/// over the pairs of their cells.
struct DistanceBias {
  const DistanceTables* tables = nullptr;
  const RowCells* cells = nullptr;
  std::size_t first = 0;  ///< of `cells`, the window's first row
  ConstRows queries;      ///< of the window, all heads side by side, as they are before any scale
};

/// Computes columns for a head of d features, `count` queries from `query` on, and all `keys` rows
/// of the window. They go to `out`, keys * kTileRows floats, in powers of two, with zeros past the
/// last query. `room` has distanceRoomFor() floats.
BiasColumns placeDistances(const DistanceBias& bias, std::size_t head, std::size_t query,
                           std::size_t count, std::size_t keys, float* room, float* out);
std::size_t distanceRoomFor(const DistanceTables& tables);

}  // namespace mpm::vit
