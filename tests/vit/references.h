// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vit/attention.h"
#include "vit/convolve.h"
#include "vit/grid_attention.h"
#include "vit/linear.h"
#include "vit/mask_head.h"
#include "vit/normalize.h"
#include "vit/patch_embed.h"
#include "vit/positions.h"
#include "vit/transformer_block.h"
#include "vit/upsample.h"

// What the operations of their names have to compute, as their headers say it: one thread, plain
// loops, every sum in double.
namespace mpm::vit {

/// [heads x queries x keys], as a model has them.
struct BiasTable {
  const float* data = nullptr;
  std::size_t queries = 0, keys = 0;

  const float* row(std::size_t head, std::size_t query) const {
    return data + (head * queries + query) * keys;
  }
};
/// `bias` in place of the attention's own.
void attentionReference(ConstRows q, ConstRows k, ConstRows v, const Attention& attention, Rows out,
                        const BiasTable* bias = nullptr);
void linearReference(ConstRows in, const LinearWeights& weights, Rows out);
/// Of an image's patches, all of them.
void patchEmbedReference(const Image& image, const PatchEmbedWeights& weights, Rows out);
/// `out` may be `in`.
void normalizeReference(ConstRows in, const NormWeights& weights, Rows out);
/// Every float of `rows` in place. Products end with the same, within 5e-7 of max(1, |x|) of it
/// in float32.
void geluReference(Gelu kind, Rows rows);
/// In place, on x [n x D].
void transformerBlockReference(Rows x, const BlockWeights& weights, const float* keyWeights);
void maskHeadReference(ConstRows patches, ConstRows classes, const MaskHeadWeights& weights,
                       Rows masks);
void rotateReference(ConstRows in, const Rotary& rotary, const Members& members, std::size_t heads,
                     Rows out);
void biasOfMembersReference(const BiasTable& full, const Members& members, std::size_t heads,
                            float* out);
/// What GridPositions are made from; without distances no `down` and `across`.
struct GridTables {
  WindowGrid grid;
  ConstRows down, across;
  const float* outside = nullptr;
};
void gridAttentionReference(ConstRows qkv, const Attention& attention, const GridTables& tables,
                            const Members& members, Rows out);
/// Without an activation.
void convolveReference(const Image& source, const ConvolveWeights& weights, std::size_t height,
                       std::size_t width, float* out);
void upsampleReference(const UpsampleSource& source, const Taps& rows, const Taps& columns,
                       float* out);

}  // namespace mpm::vit
