// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpm/merge.h"

namespace mpm::merge {

/// Which pairs of live rows may form. Unrestricted: all vectors empty, window 0.
struct Scope {
  int window = 0;                    ///< largest distance in either direction; 0: no limit
  std::vector<std::int32_t> y, x;    ///< place of each live row in the grid, with a window
  std::vector<std::int32_t> region;  ///< label of each live row, with regions

  bool restricted() const { return window > 0 || !region.empty(); }
  bool allows(std::size_t i, std::size_t j) const;
};

/// Takes options on original tokens to live rows: a live row has the place and the label of
/// its lowest member. Keeps scope's memory. `map` must name every live row at least once.
void buildScope(const MergeOptions& options, const std::int32_t* map, std::size_t originals,
                std::size_t liveRows, Scope& scope);

}  // namespace mpm::merge
