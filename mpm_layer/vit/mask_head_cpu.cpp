// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>

#include "processor/pool.h"
#include "vit/mask_head.h"
#include "vit/row_tiles.h"

namespace mpm::vit {
namespace {

// Computes out = rows matrix; `room` is that of `PackedLinear::product`.
void multiply(ConstRows rows, const PackedLinear& linear, Unit* room, std::size_t stride,
              Rows out) {
  Finish keep;
  keep.rows = out.data;
  keep.stride = out.stride;
  kernels(linear.matrix.precision()).multiply(linear.product(rows, room, stride), keep);
}

void makeUnitRows(Rows rows) {
  for (std::size_t i = 0; i < rows.count; ++i) makeUnit(rows.row(i), rows.dim);
}

}  // namespace

PackedMaskHead::PackedMaskHead(const MaskHeadWeights& weights, std::size_t classes, Precision asked)
    : norm(weights.norm, classes) {
  const Precision precision = unquantised(asked);  // norms magnify what similarities lose
  projPatch.matrix.pack(weights.projPatch, Layout::inByOut, precision);
  projClasses.matrix.pack(weights.projClasses, Layout::inByOut, precision);
}

void maskHeadCpu(ConstRows patches, ConstRows classes, const PackedMaskHead& head,
                 MaskHeadScratch& scratch, Rows masks) {
  assert(patches.dim == head.projPatch.matrix.inputs());
  assert(classes.dim == head.projClasses.matrix.inputs());
  assert(masks.count == patches.count && masks.dim == classes.count);
  const Precision precision = head.projPatch.matrix.precision();
  const std::size_t dim = head.projPatch.matrix.outputs();
  const std::size_t widest = padded(std::max({patches.dim, classes.dim, dim}));
  const std::size_t stride = padded(kernels(precision).units(widest));
  const Rows unitClasses = scratch.classes.rows(classes.count, dim);
  const RowTiles classTiles(classes.count);
  processor::forEachTask(classTiles.count(), [&](std::size_t tile) {
    const std::size_t first = classTiles.begin(tile), rows = classTiles.rows(tile);
    Unit* const room = asUnits(processor::threadScratch().reserve(kTileRows * stride));
    const Rows out(unitClasses.row(first), rows, dim);
    multiply({classes.row(first), rows, classes.dim, classes.stride}, head.projClasses, room,
             stride, out);
    makeUnitRows(out);
  });
  scratch.packedClasses.matrix.pack(unitClasses, Layout::outByIn, precision);

  const RowTiles tiles(patches.count);
  processor::forEachTask(tiles.count(), [&](std::size_t tile) {
    const std::size_t first = tiles.begin(tile), rows = tiles.rows(tile);
    float* const memory = processor::threadScratch().reserve(kTileRows * (stride + padded(dim)));
    Unit* const room = asUnits(memory);
    const Rows projected(memory + kTileRows * stride, rows, dim, padded(dim));
    multiply({patches.row(first), rows, patches.dim, patches.stride}, head.projPatch, room, stride,
             projected);
    makeUnitRows(projected);
    const Rows out(masks.row(first), rows, masks.dim, masks.stride);
    multiply(projected, scratch.packedClasses, room, stride, out);
    normalizeRows(out, head.norm.view(), out);
  });
}

}  // namespace mpm::vit
