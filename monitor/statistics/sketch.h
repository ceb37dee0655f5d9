// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mpm::monitor {

/// Quantiles of values that are not kept: each is right to 1% of its value. Values are counted in
/// cells whose borders grow by the same factor; what is closer to zero than 1e-9 is zero. At most
/// kCells cells on either side of zero: then the smallest (by magnitude) are put together. In
/// whatever order values or sketches of them are added, it is the same sketch.
class Sketch {
 public:
  static constexpr std::size_t kCells = 1024;

  void add(double value);  ///< NaN and infinities do not count
  void add(const Sketch& other);

  std::uint64_t count() const { return count_; }
  /// The value that `share` (0 to 1) of all do not exceed; NaN of none.
  double quantile(double share) const;

 private:
  struct Cell {
    int place;
    std::uint64_t count;
  };
  using Cells = std::vector<Cell>;  // by place
  static void count(Cells& cells, int place);
  static void merge(Cells& cells, const Cells& others);

  Cells positive_, negative_;
  std::uint64_t zeros_ = 0, count_ = 0;
};

}  // namespace mpm::monitor
