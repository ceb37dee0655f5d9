// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "mpm/rows.h"
#include "processor/float_buffer.h"
#include "vit/attention_bias.h"
#include "vit/kernels.h"

namespace mpm::vit {

struct DistanceBias;

/// How queries attend to keys. Head h is features [h d, (h + 1) d) of every row, d = dim / heads.
struct Attention {
  std::size_t heads = 1;
  float scale = 1;  ///< of q k; usually 1 / sqrt(d)
  /// For each key a number added to its logit, or null. The logarithm of a key's multiplicity
  /// makes it count that many times; -infinity excludes it.
  const float* keyWeights = nullptr;
  const AttentionBias* bias = nullptr;  ///< or null
};

/// q, k and v as the kernels want them: every head's columns padded to `headColumns`. Rows of q and
/// k, `headUnits` a head, k's turned where the kernels turn keys, unit columns of v. Memory grows
/// to what the largest call needed, then stays.
class AttentionOperands {
 public:
  void reserve(std::size_t queries, std::size_t keys, std::size_t heads, std::size_t d,
               const Kernels& kernel);
  /// Key weights of the natural logarithm's base, in powers of two; null of null.
  const float* weightsInPowersOfTwo(const float* keyWeights, std::size_t keys);

  std::size_t headColumns = 0, columns = 0;  ///< of one head, of all
  std::size_t headUnits = 0, qStride = 0;    ///< of one head's query or key, of all; in units
  std::size_t rowStride = 0;                 ///< of unit rows of the result; of v it is `columns`
  Unit *q = nullptr, *k = nullptr, *v = nullptr;

  /// Where unit `unit` of key `key` stands, and how far k's rows are apart.
  Unit* keyAt(std::size_t key, std::size_t unit) const {
    return turnsKeys_ ? k + unit * keyStride_ + key : k + key * keyStride_ + unit;
  }
  std::size_t keyStride() const { return keyStride_; }
  std::size_t bytes() const {
    return qMemory_.bytes() + kMemory_.bytes() + vMemory_.bytes() + weightMemory_.bytes();
  }
  /// A product's rows become keys from `first` on.
  Finish toKeys(std::size_t first) const;

 private:
  bool turnsKeys_ = false;
  std::size_t keyStride_ = 0;
  processor::Buffer<Unit> qMemory_, kMemory_, vMemory_;
  processor::FloatBuffer weightMemory_;
};

/// What queries are multiplied with, so that powers of two stand for exp.
float queryScale(float scale);

/// Query rows [first, first + count), at most kTileRows, on the calling thread.
struct AttentionRows {
  std::size_t first = 0, count = 0, keys = 0;
  const float* keyWeights = nullptr;    ///< in powers of two, or null
  Unit* out = nullptr;                  ///< unit rows [count x columns], operands.rowStride apart
  const AttentionBias* bias = nullptr;  ///< or null
  const DistanceBias* distances = nullptr;  ///< in place of a bias, or null
  /// biasRoomFor() floats where there is a bias; keys * kTileRows + distanceRoomFor() of distances;
  /// on a cache line's boundary
  float* biasRoom = nullptr;
};
void attendRows(const AttentionOperands& operands, const Kernels& kernel, const AttentionRows& rows,
                float* scratch);

/// One head of `operands`, which were reserved for these rows, of q, k and v with all heads.
void fillOperands(ConstRows q, ConstRows k, ConstRows v, const Attention& attention,
                  std::size_t head, const Kernels& kernel, AttentionOperands& operands);
/// What attendRows made of one query, as floats: `heads` of d features each.
void toRow(const AttentionOperands& operands, const Kernels& kernel, std::size_t heads,
           const Unit* attended, float* out, std::size_t d);

/// out [n x H d] = softmax over keys of (scale q kT + keyWeights + bias), times v, head by head,
/// for q [n x H d], k and v [m x H d]. `out` overlaps none of them; q, k and v may be columns of
/// the same rows. Logits of any size: the largest of a row is taken off before exp. A query that
/// has no key, all excluded or m = 0, gives zeros. NaN spreads as the formula has it; the value row
/// of an excluded key has to be finite.
/// On all cores. Sums and softmax are in float32, with 48 queries by 128 keys of logits for each
/// thread at work. The result does not depend on the number of threads.
void attentionCpu(ConstRows q, ConstRows k, ConstRows v, const Attention& attention,
                  Precision precision, AttentionOperands& operands, Rows out);

}  // namespace mpm::vit
