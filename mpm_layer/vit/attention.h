// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "mpm/rows.h"
#include "processor/float_buffer.h"
#include "vit/attention_bias.h"
#include "vit/kernels.h"

namespace mpm::vit {

struct DistanceBias;

/// Settings of attention. Head h is features [h d, (h + 1) d) of every row, d = dim / heads.
struct Attention {
  std::size_t heads = 1;
  float scale = 1;  ///< of q k; usually 1 / sqrt(d)
  /// Added to each key's logit, or null. The logarithm of a key's multiplicity makes it count that
  /// many times; -infinity excludes it.
  const float* keyWeights = nullptr;
  const AttentionBias* bias = nullptr;  ///< or null
};

/// q, k and v as the kernels want them, with every head's columns padded to `headColumns`. q and k
/// have rows of `headUnits` a head, v has unit columns. k is transposed if the kernels turn keys.
/// Memory grows to the size of the largest call and stays there.
class AttentionOperands {
 public:
  void reserve(std::size_t queries, std::size_t keys, std::size_t heads, std::size_t d,
               const Kernels& kernel);
  /// Converts key weights from natural logarithms to powers of two; null stays null.
  const float* weightsInPowersOfTwo(const float* keyWeights, std::size_t keys);

  std::size_t headColumns = 0, columns = 0;  ///< of one head, of all
  std::size_t headUnits = 0, qStride = 0;    ///< of one head's query or key, of all; in units
  std::size_t rowStride = 0;                 ///< of unit rows of the result; of v it is `columns`
  Unit *q = nullptr, *k = nullptr, *v = nullptr;

  /// Returns where unit `unit` of key `key` is, and how far k's rows are apart.
  Unit* keyAt(std::size_t key, std::size_t unit) const {
    return turnsKeys_ ? k + unit * keyStride_ + key : k + key * keyStride_ + unit;
  }
  std::size_t keyStride() const { return keyStride_; }
  std::size_t bytes() const {
    return qMemory_.bytes() + kMemory_.bytes() + vMemory_.bytes() + weightMemory_.bytes();
  }
  /// Stores a product's rows as keys from `first` on.
  Finish toKeys(std::size_t first) const;

 private:
  bool turnsKeys_ = false;
  std::size_t keyStride_ = 0;
  processor::Buffer<Unit> qMemory_, kMemory_, vMemory_;
  processor::FloatBuffer weightMemory_;
};

/// Returns the factor of queries that lets powers of two replace exp.
float queryScale(float scale);

/// Query rows [first, first + count), at most kTileRows, for the calling thread.
struct AttentionRows {
  std::size_t first = 0, count = 0, keys = 0;
  const float* keyWeights = nullptr;    ///< in powers of two, or null
  Unit* out = nullptr;                  ///< unit rows [count x columns], operands.rowStride apart
  const AttentionBias* bias = nullptr;  ///< or null
  const DistanceBias* distances = nullptr;  ///< in place of a bias, or null
  /// Scratch memory on a cache line's boundary: biasRoomFor() floats with a bias; keys * kTileRows
  /// + distanceRoomFor() floats with distances.
  float* biasRoom = nullptr;
};
void attendRows(const AttentionOperands& operands, const Kernels& kernel, const AttentionRows& rows,
                float* scratch);

/// Fills one head of `operands`, reserved for these rows, from q, k and v with all heads.
void fillOperands(ConstRows q, ConstRows k, ConstRows v, const Attention& attention,
                  std::size_t head, const Kernels& kernel, AttentionOperands& operands);
/// Converts one query's result of attendRows to floats: `heads` of d features each.
void toRow(const AttentionOperands& operands, const Kernels& kernel, std::size_t heads,
           const Unit* attended, float* out, std::size_t d);

/// Computes out [n x H d] = softmax over keys of (scale q kT + keyWeights + bias), times v, head by
/// head. q is [n x H d], k and v are [m x H d]. `out` overlaps none of them; q, k and v may be
/// columns of the same rows. Logits may have any size: a row's largest is subtracted before exp. A
/// query without a key, all excluded or m = 0, gives zeros. NaN spreads as in the formula; the
/// value row of an excluded key has to be finite. Uses all cores; sums and softmax are float32,
/// with 48 queries by 128 keys of logits in each thread. The result does not depend on the number
/// of threads.
void attentionCpu(ConstRows q, ConstRows k, ConstRows v, const Attention& attention,
                  Precision precision, AttentionOperands& operands, Rows out);

}  // namespace mpm::vit
