// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cstring>

#include "processor/pool.h"
#include "vit/patch_embed.h"
#include "vit/row_tiles.h"

namespace mpm::vit {
namespace {

// out: a row for each of the patches [first, first + out.count).
void gatherPatches(const Image& image, std::size_t patch, std::size_t first, Rows out) {
  const std::size_t gridColumns = image.width / patch;
  for (std::size_t i = 0; i < out.count; ++i) {
    const std::size_t top = (first + i) / gridColumns * patch;
    const std::size_t left = (first + i) % gridColumns * patch;
    float* to = out.row(i);
    for (std::size_t c = 0; c < image.channels; ++c) {
      for (std::size_t y = 0; y < patch; ++y, to += patch) {
        const std::size_t line = c * image.height + top + y;
        std::memcpy(to, image.data + line * image.width + left, patch * sizeof(float));
      }
    }
  }
}

}  // namespace

void patchEmbedCpu(const Image& image, const PackedPatchEmbed& embed, Rows out) {
  const PackedMatrix& matrix = embed.projection.matrix;
  const Kernels& kernel = kernels(matrix.precision());
  const std::size_t count = patchCount(image, embed.patch), special = embed.special.count;
  assert(out.count == special + count && out.dim == matrix.outputs());
  assert(matrix.inputs() == image.channels * embed.patch * embed.patch);
  assert(embed.position.count == 0 || embed.position.count == count);

  for (std::size_t s = 0; s < special; ++s) {
    std::copy_n(embed.special.row(s), out.dim, out.row(s));
  }
  const std::size_t inputs = matrix.inputs(), stride = kernel.operandStride(inputs);
  const RowTiles tiles(count);
  processor::forEachTask(tiles.count(), [&](std::size_t tile) {
    const std::size_t first = tiles.begin(tile), rows = tiles.rows(tile);
    float* const memory = processor::threadScratch().reserve(kTileRows * (inputs + stride));
    const Rows patches(memory, rows, inputs);
    gatherPatches(image, embed.patch, first, patches);
    Finish finish;
    finish.bias = embed.projection.biasOrNull();
    finish.rows = out.row(special + first);
    finish.stride = out.stride;
    if (embed.position.count > 0) {
      finish.addend = embed.position.row(first);
      finish.addendStride = embed.position.stride;
    }
    kernel.multiply(embed.projection.product(patches, asUnits(memory + kTileRows * inputs), stride),
                    finish);
  });
}

}  // namespace mpm::vit
