// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpm/rows.h"
#include "vit/linear.h"

namespace mpm::vit {

/// Planes of floats [channels x height x width], without gaps. Not owned.
struct Image {
  const float* data = nullptr;
  std::size_t channels = 0, height = 0, width = 0;
};

/// Embeds N patches, row by row over the grid of height / patch by width / patch. Pixels right of
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

/// A packed PatchEmbedWeights. Position and special rows are not owned.
struct PackedPatchEmbed {
  std::size_t patch = 16;
  PackedLinear projection;
  ConstRows position, special;
};

/// Writes out [S + N x D]: the special rows, then each patch projected, plus its position.
/// `patches` lists the N wanted ones, ascending and maybe none; null means all.
void patchEmbedCpu(const Image& image, const PackedPatchEmbed& embed, Rows out,
                   const std::vector<std::int32_t>* patches = nullptr);

}  // namespace mpm::vit
