// SPDX-License-Identifier: Apache-2.0
// What attention adds to its logits: for each head one number of each query and key.
#pragma once

#include <cstddef>
#include <optional>

#include "mpm/rows.h"
#include "processor/float_buffer.h"
#include "vit/bias_by_distance.h"
#include "vit/kernels.h"

namespace mpm::vit {

class Members;

/// Biases in powers of two: those of distances on a grid as such, others as the kernels read them,
/// [heads x groups of kColumnStep queries x keys x kColumnStep], a column for each query; zeros
/// past the last one.
class PackedBias {
 public:
  /// Of a table [heads queries x keys]; as many queries as keys have `special` rows in front.
  /// Finite numbers are brought to within 1e30: of such as -3.4e38, with which masks are written,
  /// means and powers of two would be infinite, and that is as far from every other logit.
  void pack(ConstRows table, std::size_t heads, std::size_t special = 0);

  bool isEmpty() const { return heads_ == 0; }
  const BiasByDistance* byDistance() const { return byDistance_ ? &*byDistance_ : nullptr; }
  std::size_t queries() const { return queries_; }
  std::size_t keys() const { return keys_; }
  std::size_t groupStride() const { return keys_ * kColumnStep; }
  /// The first key's, of the group that `query` begins, where it is no bias by distance.
  const float* group(std::size_t head, std::size_t query) const;

 private:
  std::size_t heads_ = 0, queries_ = 0, keys_ = 0;
  std::optional<BiasByDistance> byDistance_;
  processor::FloatBuffer memory_;
};

struct AttentionBias {
  const PackedBias* table = nullptr;
  /// What queries and keys stand for where the table is of other rows, as many of both: between
  /// two of them the mean over their members. Null: the table's own rows.
  const Members* members = nullptr;
};

/// Of a head and `count` queries from `first`, a multiple of kColumnStep, on: the table's own where
/// it has them as they are read, else in `room`, biasRoomFor() floats.
BiasColumns biasColumns(const AttentionBias& bias, std::size_t head, std::size_t first,
                        std::size_t count, float* room);
std::size_t biasRoomFor(const AttentionBias& bias);

}  // namespace mpm::vit
