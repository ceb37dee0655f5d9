// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "contract/gelu.h"
#include "mpm/rows.h"
#include "processor/float_buffer.h"
#include "vit/attention.h"
#include "vit/linear.h"
#include "vit/normalize.h"
#include "vit/row_windows.h"

namespace mpm::vit {

/// Measured ranges of a norm's results: each feature's mean, deviation and largest distance from
/// its mean; all [D]. Null if not measured.
struct NormRanges {
  const float* mean = nullptr;
  const float* deviation = nullptr;
  const float* reach = nullptr;
};

/// A pre-norm block of a ViT on D features. A = heads d is usually D, the hidden F 4 D.
struct BlockWeights {
  NormWeights norm1;
  LinearWeights qkv;                   ///< [3 A x D]: rows of q, then k, then v
  LinearWeights proj;                  ///< [D x A]
  const float* layerScale1 = nullptr;  ///< [D], or null: 1
  NormWeights norm2;
  LinearWeights fc1;                   ///< [F x D]
  LinearWeights fc2;                   ///< [D x F]
  const float* layerScale2 = nullptr;  ///< [D], or null: 1
  std::size_t heads = 1;
  float scale = 1;  ///< of q k
  Gelu gelu = Gelu::erf;
  NormRanges ranges1, ranges2;  ///< of both norms; for int8 alone
};

/// Packed weights of a block. Layer scales are multiplied into what they scale, the attention's
/// scale into the queries, and heads are padded. In int8 they are the weights of a SmoothBlock.
struct PackedBlock {
  PackedBlock() = default;
  PackedBlock(const BlockWeights& weights, Precision precision);

  std::size_t dim() const { return q.matrix.inputs(); }

  OwnedNorm norm1, norm2;
  PackedLinear q, k, v, proj, fc1, fc2;
  std::size_t heads = 1, headDim = 0;
  Gelu gelu = Gelu::erf;
  Precision precision = Precision::fp32;
};

/// Scratch memory of transformerBlockCpu. It grows to the size of the largest call and stays there.
/// One object serves all blocks of a network.
struct BlockScratch {
  /// Rows of one window, computed at once: `rows` of them from place `first` of it on.
  struct WindowTile {
    std::size_t window = 0, first = 0, rows = 0;
  };

  AttentionOperands operands;
  std::vector<AttentionOperands> ofWindows;
  std::vector<WindowTile> tiles;
  processor::FloatBuffer rows;
};

/// Computes the block's result for in [n x D] in out [n x D]; `out` may be `in`:
///   x = in + layerScale1 * proj(attention(qkv(norm1(in))))
///   out = x + layerScale2 * fc2(gelu(fc1(norm2(x))))
/// `keyWeights`: n floats as in `Attention`, or null.
void transformerBlockCpu(ConstRows in, const PackedBlock& block, const float* keyWeights,
                         BlockScratch& scratch, Rows out);

/// Does the same where rows attend within their window alone: to the bit what each window's rows
/// give by themselves. `windows` has as many rows as `in`.
void transformerBlockCpu(ConstRows in, const PackedBlock& block, const RowWindows& windows,
                         BlockScratch& scratch, Rows out);

}  // namespace mpm::vit
