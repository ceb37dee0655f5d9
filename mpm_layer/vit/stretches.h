// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace mpm::vit {

/// Neighbours in a row of a result, which stand side by side in a product's right factor.
struct Stretch {
  std::size_t y = 0, x = 0, count = 0;
  std::size_t column = 0;  ///< of the factor
};

/// What `columns` of a product are, in the order of the result.
template <std::size_t kMost>
struct Stretches {
  std::array<Stretch, kMost> stretches;
  std::size_t count = 0, columns = 0;

  Stretches() = default;
  /// `places` of a result that is `across` wide, from the first one on; at most kMost.
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

/// How many filters of a convolution a task takes, where all of them are shared out to `threads`
/// in `blocks` of the result: with few blocks, filters are shared out as well.
inline std::size_t filtersOfTask(std::size_t outputs, std::size_t blocks, std::size_t threads) {
  constexpr std::size_t kLeast = 48;
  const std::size_t most = (outputs + kLeast - 1) / kLeast;
  const std::size_t parts = std::clamp<std::size_t>(4 * threads / blocks, 1, most);
  return (outputs + parts - 1) / parts;
}

}  // namespace mpm::vit
