// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mpm::vit {

/// Groups rows that attend to each other into windows; each row is in one.
class RowWindows {
 public:
  /// `window` has the window number of each row, in [0, windows).
  void set(const std::vector<std::int32_t>& window, std::size_t windows) {
    begins_.assign(windows + 1, 0);
    for (const std::int32_t each : window) ++begins_[static_cast<std::size_t>(each) + 1];
    for (std::size_t i = 0; i < windows; ++i) begins_[i + 1] += begins_[i];
    next_ = begins_;
    order_.resize(window.size());
    for (std::size_t row = 0; row < window.size(); ++row)
      order_[next_[static_cast<std::size_t>(window[row])]++] = static_cast<std::int32_t>(row);
  }

  std::size_t count() const { return begins_.size() - 1; }  ///< once it was set; some may be empty
  std::size_t rows() const { return order_.size(); }
  /// Returns rows window by window, ascending within each.
  std::size_t row(std::size_t place) const { return static_cast<std::size_t>(order_[place]); }
  std::size_t begin(std::size_t window) const { return begins_[window]; }  ///< a place
  std::size_t rowsOf(std::size_t window) const { return begins_[window + 1] - begins_[window]; }

 private:
  std::vector<std::size_t> begins_{0}, next_;
  std::vector<std::int32_t> order_;
};

}  // namespace mpm::vit
