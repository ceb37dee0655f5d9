// SPDX-License-Identifier: Apache-2.0
// Numbers that attention adds to its logits: one for each head, query and key.
#pragma once

#include <cstddef>
#include <optional>

#include "mpm/rows.h"
#include "processor/float_buffer.h"
#include "vit/bias_by_distance.h"
#include "vit/kernels.h"

namespace mpm::vit {

class Members;

/// Biases in powers of two. Those of distances on a grid are kept as such. Others are packed as the
/// kernels read them, [heads x groups of kColumnStep queries x keys x kColumnStep]: a column for
/// each query, with zeros past the last one.
class PackedBias {
 public:
  /// Packs a table [heads queries x keys]; with as many queries as keys, `special` rows come first.
  /// Finite numbers are clamped to 1e30, which is as far from any other logit. Masks use such as
  /// -3.4e38, whose means and powers of two would be infinite.
  void pack(ConstRows table, std::size_t heads, std::size_t special = 0);

  bool isEmpty() const { return heads_ == 0; }
  const BiasByDistance* byDistance() const { return byDistance_ ? &*byDistance_ : nullptr; }
  std::size_t queries() const { return queries_; }
  std::size_t keys() const { return keys_; }
  std::size_t groupStride() const { return keys_ * kColumnStep; }
  /// Returns the first key's bias, of the group that `query` begins; not for a bias by distance.
  const float* group(std::size_t head, std::size_t query) const;

 private:
  std::size_t heads_ = 0, queries_ = 0, keys_ = 0;
  std::optional<BiasByDistance> byDistance_;
  processor::FloatBuffer memory_;
};

struct AttentionBias {
  const PackedBias* table = nullptr;
  /// Members of queries and keys if the table has other rows, as many of both. Two of them get the
  /// mean over their members. Null means the table's own rows.
  const Members* members = nullptr;
};

/// Returns the columns of a head and `count` queries from `first` on, a multiple of kColumnStep.
/// They are the table's own if it has them as they are read, else in `room`, biasRoomFor() floats.
BiasColumns biasColumns(const AttentionBias& bias, std::size_t head, std::size_t first,
                        std::size_t count, float* room);
std::size_t biasRoomFor(const AttentionBias& bias);

}  // namespace mpm::vit
