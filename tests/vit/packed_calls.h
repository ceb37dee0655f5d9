// SPDX-License-Identifier: Apache-2.0
#pragma once

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
