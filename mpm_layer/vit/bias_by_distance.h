// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mpm/rows.h"
#include "vit/kernels.h"

namespace mpm::vit {

class Members;

/// A bias that depends, between two patches of a grid, only on how far the key is from the query.
/// Its (2 height - 1) (2 width - 1) numbers per head stay in the first-level cache, whereas one per
/// pair has to come from memory. Between a special row and another row it may be anything.
class BiasByDistance {
 public:
  /// Recognises a table [heads rows x rows] with `special` rows and then the patches of a grid, row
  /// by row. Returns std::nullopt if no grid gives this table to the bit.
  static std::optional<BiasByDistance> find(ConstRows table, std::size_t heads,
                                            std::size_t special);
  /// Replaces each number by to(number).
  void change(float (*to)(float));

  std::size_t rows() const { return special_ + height_ * width_; }
  /// Floats after the last key that `columns` may write.
  static constexpr std::size_t kSlack = kColumnStep * kColumnStep;
  /// Writes biases to each key, for `count` queries from `first`, to `out` [rows x kColumnStep].
  /// Live rows get the mean over their members (null: all themselves); columns past them are zeros.
  void columns(std::size_t head, const Members* members, std::size_t first, std::size_t count,
               float* out) const;

 private:
  BiasByDistance(std::size_t heads, std::size_t special, std::size_t height, std::size_t width);

  std::size_t stride() const { return 2 * width_ - 1; }
  std::size_t headSize() const { return (2 * height_ - 1) * stride(); }
  void read(ConstRows table);
  bool isAllOf(ConstRows table) const;
  // Returns a patch's bias to the first key, as a query; that to (y, x) is y strides + x further.
  const float* toFirst(std::size_t head, std::size_t patch) const;
  void placeSpecial(std::size_t head, const Members* members, std::size_t first, std::size_t count,
                    float* out) const;

  std::size_t heads_, special_, height_, width_;
  // [heads, 2 height - 1, 2 width - 1], by key minus query, followed by a vector of slack.
  std::vector<float> byDistance_;
  std::vector<float> ofSpecial_, toSpecial_;  // [heads, special, rows], as queries and as keys
};

}  // namespace mpm::vit
