// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "processor/pool.h"
#include "vit/kernels.h"

namespace mpm::vit {

/// Returns the largest tile for rows of `dim` features. It has more rows if weights are large and
/// far away, since each tile reads them once.
inline std::size_t rowsOfTile(std::size_t dim) {
  constexpr std::size_t kWide = 512;
  return dim < kWide ? kTileRows : 2 * kTileRows;
}

/// Splits rows into tiles of at most `largest`, kTileRows or twice as many. Large ones come first,
/// so that threads end at nearly the same time although some cores are slower. Every tile begins at
/// a multiple of kColumnStep.
class RowTiles {
 public:
  explicit RowTiles(std::size_t rows, std::size_t largest = kTileRows)
      : rows_(rows), step_(kColumnStep) {
    const auto threads = static_cast<std::size_t>(processor::threadCount());
    std::size_t groups = (rows + kColumnStep - 1) / kColumnStep;
    for (std::size_t size = largest / kColumnStep; size > 0; --size) {
      // A thread's last two tiles are smaller, but not if it is the only thread.
      const std::size_t kept = threads > 1 && size > 1 ? 2 * threads * (size - 1) : 0;
      counts_[size - 1] = (groups - std::min(groups, kept)) / size;
      groups -= counts_[size - 1] * size;
    }
  }

  /// Splits few rows against many keys into the largest tiles that give every thread as many. Each
  /// tile reads all keys and weights again. Tiles begin anywhere.
  static RowTiles ofFew(std::size_t rows) {
    RowTiles tiles(0);
    tiles.rows_ = rows;
    tiles.step_ = kFewStep;
    const auto threads = static_cast<std::size_t>(processor::threadCount());
    constexpr std::size_t kGroups = kTileRows / kFewStep;
    const std::size_t groups = (rows + kFewStep - 1) / kFewStep;
    const std::size_t turns = groups / (kGroups * threads), rest = groups % (kGroups * threads);
    tiles.counts_[kGroups - 1] = turns * threads;
    for (std::size_t thread = 0; thread < threads; ++thread) {
      const std::size_t share = (rest + thread) / threads;
      if (share > 0) ++tiles.counts_[share - 1];
    }
    return tiles;
  }

  std::size_t count() const {
    std::size_t sum = 0;
    for (const std::size_t count : counts_) sum += count;
    return sum;
  }
  std::size_t begin(std::size_t tile) const {
    std::size_t groups = 0;
    for (std::size_t size = kLargest; size > 0; --size) {
      const std::size_t before = std::min(tile, counts_[size - 1]);
      groups += before * size;
      tile -= before;
    }
    return std::min(rows_, groups * step_);
  }
  std::size_t rows(std::size_t tile) const { return begin(tile + 1) - begin(tile); }

 private:
  static constexpr std::size_t kFewStep = 4;
  static constexpr std::size_t kLargest =
      std::max(2 * kTileRows / kColumnStep, kTileRows / kFewStep);

  std::size_t rows_, step_;            // rows; those of a group
  std::size_t counts_[kLargest] = {};  // of tiles of 1, 2, ... groups
};

}  // namespace mpm::vit
