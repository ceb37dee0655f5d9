// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cstring>

#include "processor/threads.h"
#include "vit/gemm_tasks.h"
#include "vit/patch_embed.h"
#include "vit/row_kernels.h"

namespace mpm::vit {
namespace {

// patches [N x C P P]: a row for each patch. One task for each row of the grid.
void gatherPatches(const Image& image, std::size_t patch, Rows patches) {
  const std::size_t gridRows = image.height / patch, gridColumns = image.width / patch;
  processor::forEachTask(gridRows, [&](std::size_t gridRow) {
    for (std::size_t c = 0; c < image.channels; ++c) {
      for (std::size_t y = 0; y < patch; ++y) {
        const std::size_t line = c * image.height + gridRow * patch + y;
        for (std::size_t column = 0; column < gridColumns; ++column) {
          std::memcpy(patches.row(gridRow * gridColumns + column) + (c * patch + y) * patch,
                      image.data + line * image.width + column * patch, patch * sizeof(float));
        }
      }
    }
  });
}

}  // namespace

void patchEmbedCpu(const Image& image, const PatchEmbedWeights& weights, PatchEmbedScratch& scratch,
                   Rows out) {
  const LinearWeights& projection = weights.projection;
  const std::size_t count = patchCount(image, weights.patch);
  assert(out.count == weights.special.count + count && out.dim == projection.weight.count);
  assert(projection.weight.dim == image.channels * weights.patch * weights.patch);
  assert(weights.position.count == 0 || weights.position.count == count);

  for (std::size_t s = 0; s < weights.special.count; ++s) {
    std::copy_n(weights.special.row(s), out.dim, out.row(s));
  }
  const Rows patches = scratch.patches.rows(count, projection.weight.dim);
  gatherPatches(image, weights.patch, patches);
  const Rows embedded(out.row(weights.special.count), count, out.dim, out.stride);
  const auto addBiasAndPosition = [&](Rows tile, std::size_t row, std::size_t column) {
    for (std::size_t i = 0; i < tile.count; ++i) {
      if (projection.bias != nullptr) addTo(tile.row(i), projection.bias + column, tile.dim);
      if (weights.position.count == 0) continue;
      addTo(tile.row(i), weights.position.row(row + i) + column, tile.dim);
    }
  };
  multiplyInTiles(patches, projection.weight, Layout::outByIn, embedded, addBiasAndPosition);
}

}  // namespace mpm::vit
