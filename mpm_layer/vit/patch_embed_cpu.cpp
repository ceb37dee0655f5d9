// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cstring>

#include "processor/pool.h"
#include "vit/patch_embed.h"
#include "vit/row_tiles.h"

namespace mpm::vit {
namespace {

// Writes a row for each of the patches [first, first + out.count), or of those listed from `first`
// on.
void gatherPatches(const Image& image, std::size_t patch, std::size_t first,
                   const std::vector<std::int32_t>* patches, Rows out) {
  const std::size_t gridColumns = image.width / patch;
  for (std::size_t i = 0; i < out.count; ++i) {
    const std::size_t at =
        patches == nullptr ? first + i : static_cast<std::size_t>((*patches)[first + i]);
    const std::size_t top = at / gridColumns * patch, left = at % gridColumns * patch;
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

void patchEmbedCpu(const Image& image, const PackedPatchEmbed& embed, Rows out,
                   const std::vector<std::int32_t>* wanted) {
  const PackedMatrix& matrix = embed.projection.matrix;
  const Kernels& kernel = kernels(matrix.precision());
  const std::size_t all = patchCount(image, embed.patch), special = embed.special.count;
  const std::size_t count = wanted == nullptr ? all : wanted->size();
  assert(out.count == special + count && out.dim == matrix.outputs());
  assert(matrix.inputs() == image.channels * embed.patch * embed.patch);
  assert(embed.position.count == 0 || embed.position.count == all);

  for (std::size_t s = 0; s < special; ++s) {
    std::copy_n(embed.special.row(s), out.dim, out.row(s));
  }
  const std::size_t inputs = matrix.inputs(), stride = kernel.operandStride(inputs);
  const RowTiles tiles(count);
  processor::forEachTask(tiles.count(), [&](std::size_t tile) {
    const std::size_t first = tiles.begin(tile), rows = tiles.rows(tile);
    float* const memory = processor::threadScratch().reserve(kTileRows * (inputs + stride));
    const Rows patches(memory, rows, inputs);
    gatherPatches(image, embed.patch, first, wanted, patches);
    Finish finish;
    finish.bias = embed.projection.biasOrNull();
    finish.rows = out.row(special + first);
    finish.stride = out.stride;
    if (embed.position.count > 0 && wanted == nullptr) {
      finish.addend = embed.position.row(first);
      finish.addendStride = embed.position.stride;
    } else if (embed.position.count > 0) {
      for (std::size_t i = 0; i < rows; ++i) {
        const auto patch = static_cast<std::size_t>((*wanted)[first + i]);
        std::copy_n(embed.position.row(patch), out.dim, finish.rows + i * out.stride);
      }
      finish.addend = finish.rows;
      finish.addendStride = out.stride;
    }
    kernel.multiply(embed.projection.product(patches, asUnits(memory + kTileRows * inputs), stride),
                    finish);
  });
}

}  // namespace mpm::vit
