// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mpm/rows.h"
#include "vit/kernels.h"

namespace mpm::vit {

class Members;

/// A bias that depends, between two patches of a grid, on how far the key is from the query alone:
/// (2 height - 1) (2 width - 1) numbers for each head, which stay in the first-level cache, where
/// one of each pair has to come from memory. Between a special row and another anything.
class BiasByDistance {
 public:
  /// Of a table [heads rows x rows], whose rows are `special` ones and then the patches of a grid,
  /// row by row. Nothing where there is no grid for which the table is that, to the bit.
  static std::optional<BiasByDistance> find(ConstRows table, std::size_t heads,
                                            std::size_t special);
  /// Each number becomes what `to` makes of it.
  void change(float (*to)(float));

  std::size_t rows() const { return special_ + height_ * width_; }
  /// Floats behind the last key that `columns` may write.
  static constexpr std::size_t kSlack = kColumnStep * kColumnStep;
  /// out [rows x kColumnStep]: to each key for `count` queries from `first` on, of live rows the
  /// mean over their members; zeros past the last one. Null: queries are the table's own rows.
  void columns(std::size_t head, const Members* members, std::size_t first, std::size_t count,
               float* out) const;

 private:
  BiasByDistance(std::size_t heads, std::size_t special, std::size_t height, std::size_t width);

  std::size_t stride() const { return 2 * width_ - 1; }
  std::size_t headSize() const { return (2 * height_ - 1) * stride(); }
  void read(ConstRows table);
  bool isAllOf(ConstRows table) const;
  // What a patch as a query has to the first key; the one at (y, x) is y strides and x further on.
  const float* toFirst(std::size_t head, std::size_t patch) const;
  void placeSpecial(std::size_t head, const Members* members, std::size_t first, std::size_t count,
                    float* out) const;

  std::size_t heads_, special_, height_, width_;
  // [heads, 2 height - 1, 2 width - 1], of key less query, and a vector behind them.
  std::vector<float> byDistance_;
  std::vector<float> ofSpecial_, toSpecial_;  // [heads, special, rows], as queries and as keys
};

}  // namespace mpm::vit
