// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "mpm/rows.h"
#include "processor/float_buffer.h"

namespace mpm::vit {

/// How queries attend to keys. Head h is features [h d, (h + 1) d) of every row, d = dim / heads.
struct Attention {
  std::size_t heads = 1;
  float scale = 1;  ///< of q k; usually 1 / sqrt(d)
  /// For each key a number added to its logit, or null. The logarithm of a key's multiplicity
  /// makes it count that many times; -infinity excludes it.
  const float* keyWeights = nullptr;
};

/// out [n x H d] = softmax over keys of (scale q kT + keyWeights), times v, head by head, for
/// q [n x H d], k and v [m x H d]. `out` overlaps none of them; q, k and v may be columns of the
/// same rows. Logits of any size: the largest of a row is taken off before exp. A query that has
/// no key, all excluded or m = 0, gives zeros. NaN spreads as the formula has it; the value row
/// of an excluded key has to be finite.
void attentionReference(ConstRows q, ConstRows k, ConstRows v, const Attention& attention,
                        Rows out);

/// Scratch memory of attentionCpu: grows to what the largest call needed, then stays.
struct AttentionScratch {
  processor::FloatBuffer logits;
};

/// The same on all cores, in float32: 64 queries by m logits for each thread at work.
/// The result does not depend on the number of threads.
void attentionCpu(ConstRows q, ConstRows k, ConstRows v, const Attention& attention,
                  AttentionScratch& scratch, Rows out);

}  // namespace mpm::vit
