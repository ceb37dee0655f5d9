// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpm/merge.h"

namespace mpm::merge {

/// Says which live rows may pair. Unrestricted: all vectors empty, window 0.
struct Scope {
  int window = 0;                    ///< largest distance in either direction; 0: no limit
  std::vector<std::int32_t> y, x;    ///< place of each live row in the grid, with a window
  std::vector<std::int32_t> region;  ///< label of each live row, with regions

  bool restricted() const { return window > 0 || !region.empty(); }
  bool allows(std::size_t i, std::size_t j) const;
};

/// Converts options on original tokens to live rows. A live row has the place and the label of its
/// lowest member. Keeps scope's memory. `map` must name every live row at least once.
void buildScope(const MergeOptions& options, const std::int32_t* map, std::size_t originals,
                std::size_t liveRows, Scope& scope);

/// Slots in a panel, the side of a similarity tile. Every SIMD width up to 16 divides it.
constexpr std::size_t kPanelSlots = 32;

/// The range of a run of slots in all three values that can forbid a pair.
struct Extent {
  std::int32_t yMin = 0, yMax = 0, xMin = 0, xMax = 0, regionMin = 0, regionMax = 0;

  void include(const Extent& other);
};

/// Tells whether a row of one may pair with a row of the other. It may err towards true.
bool mayPair(const Extent& a, const Extent& b, std::int32_t window);

/// The order in which matching visits the rows: a slot holds one row. The last panel is filled up
/// with empty slots; packing also empties slots of rows that are not finite. Unrestricted slots
/// follow the rows. Others are sorted by region and by cells of the grid, so that rows that may
/// pair sit in neighbouring panels.
struct Slots {
  std::vector<std::int32_t> row;           ///< of each slot, or kEmptySlot
  std::vector<std::int32_t> y, x, region;  ///< of each slot; 0 where the scope has no such limit
  std::vector<Extent> panels;
  std::vector<std::uint8_t> full;  ///< of each panel, by packing: no slot is empty
  std::int32_t window = 0;         ///< of the scope, or more than any distance
  bool ascending = true;           ///< slot order is row order, and every pair is allowed

  std::size_t panelCount() const { return panels.size(); }
};

constexpr std::int32_t kEmptySlot = -1;

void arrangeSlots(std::size_t rows, const Scope& scope, Slots& slots);

}  // namespace mpm::merge
