// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "processor/pool.h"

namespace mpm::vit {

/// Neighbours in a row of a result, which are adjacent in a product's right factor.
struct Stretch {
  std::size_t y = 0, x = 0, count = 0;
  std::size_t column = 0;  ///< of the factor
};

/// Meaning of `columns` of a product, in the order of the result.
template <std::size_t kMost>
struct Stretches {
  std::array<Stretch, kMost> stretches;
  std::size_t count = 0, columns = 0;

  Stretches() = default;
  /// Covers `places` of a result that is `across` wide, from place `first` on; at most kMost.
  Stretches(std::size_t first, std::size_t places, std::size_t across) : columns(places) {
    for (std::size_t column = 0; column < places;) {
      const std::size_t y = (first + column) / across, x = (first + column) % across;
      const std::size_t length = std::min(places - column, across - x);
      stretches[count++] = {y, x, length, column};
      column += length;
    }
  }

  const Stretch* begin() const { return stretches.data(); }
  const Stretch* end() const { return begin() + count; }
};

/// Part of a convolution that a task computes.
struct Share {
  std::size_t first, count;     ///< places of the result, or tiles
  std::size_t output, outputs;  ///< filters
};

/// Runs `task` for all shares of `count` places, of at most `most` each. If they are few, filters
/// are split as well.
template <class Task>
void forEachShare(std::size_t count, std::size_t most, std::size_t outputs, const Task& task) {
  constexpr std::size_t kLeastFilters = 48;
  const std::size_t blocks = (count + most - 1) / most;
  const auto threads = static_cast<std::size_t>(processor::threadCount());
  const std::size_t parts = std::clamp<std::size_t>(4 * threads / blocks, 1,
                                                    (outputs + kLeastFilters - 1) / kLeastFilters);
  const std::size_t filters = (outputs + parts - 1) / parts;
  const std::size_t filled = (outputs + filters - 1) / filters;  // with filters
  processor::forEachTask(blocks * filled, [&](std::size_t index) {
    const std::size_t first = index / filled * most, output = index % filled * filters;
    task(Share{first, std::min(most, count - first), output, std::min(filters, outputs - output)});
  });
}

}  // namespace mpm::vit
