// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "vit/attention.h"
#include "vit/linear.h"
#include "vit/mask_head.h"
#include "vit/patch_embed.h"
#include "vit/transformer_block.h"

// The operations as their references are called: weights are packed for this one call.
namespace mpm::vit {

inline void linearCpu(ConstRows in, const LinearWeights& weights, Rows out,
                      Precision precision = Precision::fp32) {
  linearCpu(in, PackedLinear(weights, precision), out);
}

/// The GELU that products end with: of each value times 1.
inline void geluCpu(Gelu kind, Rows rows) {
  const float one = 1;
  const PackedMatrix identity({&one, 1, 1}, Layout::outByIn, Precision::fp32);
  for (std::size_t i = 0; i < rows.count; ++i) {
    const std::vector<float> x(rows.row(i), rows.row(i) + rows.dim);
    Finish finish;
    finish.gelu = &kind;
    finish.rows = rows.row(i);
    finish.stride = 1;
    kernels(Precision::fp32)
        .multiply({asUnits(x.data()), 1, rows.dim, identity.view(), 0, 1, 0, 1}, finish);
  }
}

inline void attentionCpu(ConstRows q, ConstRows k, ConstRows v, const Attention& attention,
                         AttentionOperands& operands, Rows out) {
  attentionCpu(q, k, v, attention, Precision::fp32, operands, out);
}

inline void transformerBlockCpu(Rows x, const BlockWeights& weights, const float* keyWeights,
                                BlockScratch& scratch, Precision precision = Precision::fp32) {
  transformerBlockCpu(x, PackedBlock(weights, precision), keyWeights, scratch, x);
}

inline void maskHeadCpu(ConstRows patches, ConstRows classes, const MaskHeadWeights& weights,
                        MaskHeadScratch& scratch, Rows masks,
                        Precision precision = Precision::fp32) {
  maskHeadCpu(patches, classes, PackedMaskHead(weights, classes.count, precision), scratch, masks);
}

inline void patchEmbedCpu(const Image& image, const PatchEmbedWeights& weights, Rows out,
                          Precision precision = Precision::fp32) {
  const PackedPatchEmbed embed{
      weights.patch, {weights.projection, precision}, weights.position, weights.special};
  patchEmbedCpu(image, embed, out);
}

}  // namespace mpm::vit
