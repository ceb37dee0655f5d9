// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "mpm/rows.h"
#include "processor/float_buffer.h"
#include "vit/linear.h"

namespace mpm::vit {

/// Planes of floats [channels x height x width], without gaps. Not owned.
struct Image {
  const float* data = nullptr;
  std::size_t channels = 0, height = 0, width = 0;
};

/// N patches, row by row over the grid of height / patch by width / patch. Pixels right of
/// and below the last whole patch are not read.
struct PatchEmbedWeights {
  std::size_t patch = 16;
  LinearWeights projection;  ///< [D x C P P]: a patch's floats in the order (channel, y, x)
  ConstRows position;        ///< [N x D], or no rows: none is added
  ConstRows special;         ///< [S x D], to stand in front; their position already added
};

inline std::size_t patchCount(const Image& image, std::size_t patch) {
  return (image.height / patch) * (image.width / patch);
}

/// out [S + N x D]: the special rows as they are, then each patch projected, plus its position.
void patchEmbedReference(const Image& image, const PatchEmbedWeights& weights, Rows out);

/// Scratch memory of patchEmbedCpu: grows to what the largest call needed, then stays.
struct PatchEmbedScratch {
  processor::FloatBuffer patches;  ///< [N x C P P]
};

void patchEmbedCpu(const Image& image, const PatchEmbedWeights& weights, PatchEmbedScratch& scratch,
                   Rows out);

}  // namespace mpm::vit
