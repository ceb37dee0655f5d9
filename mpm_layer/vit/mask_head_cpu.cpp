// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include "processor/threads.h"
#include "vit/mask_head.h"
#include "vit/row_kernels.h"
#include "vit/row_tiles.h"

namespace mpm::vit {
namespace {

// Unit rows of a tile and what they are made of, in the calling thread's scratch memory.
class UnitTile {
 public:
  UnitTile(const Kernels& kernel, std::size_t dim, std::size_t wide)
      : kernel_(kernel), stride_(padded(kernel.units(padded(std::max(dim, wide))))) {
    units_ = processor::threadScratch().reserve(kTileRows * (stride_ + padded(wide)));
  }

  // out = unit(rows matrix)
  void project(ConstRows rows, const PackedLinear& linear, Rows out) {
    Finish keep;
    keep.rows = out.data;
    keep.stride = out.stride;
    kernel_.toUnits(rows, 1, units_, stride_);
    kernel_.multiply(linear.product(units_, stride_, rows.count), keep);
    for (std::size_t i = 0; i < out.count; ++i) makeUnit(out.row(i), out.dim);
  }

  Rows floats(std::size_t rows, std::size_t dim) const {
    return {units_ + kTileRows * stride_, rows, dim, padded(dim)};
  }
  const Unit* toUnits(ConstRows rows) {
    kernel_.toUnits(rows, 1, units_, stride_);
    return units_;
  }
  std::size_t stride() const { return stride_; }

 private:
  const Kernels& kernel_;
  std::size_t stride_;
  float* units_ = nullptr;
};

}  // namespace

PackedMaskHead::PackedMaskHead(const MaskHeadWeights& weights, std::size_t classes,
                               Precision precision)
    : norm(weights.norm, classes) {
  projPatch.matrix.pack(weights.projPatch, Layout::inByOut, precision);
  projClasses.matrix.pack(weights.projClasses, Layout::inByOut, precision);
}

void maskHeadCpu(ConstRows patches, ConstRows classes, const PackedMaskHead& head,
                 MaskHeadScratch& scratch, Rows masks) {
  assert(patches.dim == head.projPatch.matrix.inputs());
  assert(classes.dim == head.projClasses.matrix.inputs());
  assert(masks.count == patches.count && masks.dim == classes.count);
  const Kernels& kernel = kernels(head.projPatch.matrix.precision());
  const std::size_t dim = head.projPatch.matrix.outputs();
  const Rows unitClasses = scratch.classes.rows(classes.count, dim);
  const RowTiles classTiles(classes.count);
  processor::forEachTask(classTiles.count(), [&](std::size_t tile) {
    const std::size_t first = classTiles.begin(tile), rows = classTiles.rows(tile);
    UnitTile(kernel, classes.dim, dim)
        .project({classes.row(first), rows, classes.dim, classes.stride}, head.projClasses,
                 {unitClasses.row(first), rows, dim});
  });
  scratch.packedClasses.pack(unitClasses, Layout::outByIn, head.projPatch.matrix.precision());

  const RowTiles tiles(patches.count);
  processor::forEachTask(tiles.count(), [&](std::size_t tile) {
    const std::size_t first = tiles.begin(tile), rows = tiles.rows(tile);
    UnitTile unit(kernel, patches.dim, dim);
    const Rows projected = unit.floats(rows, dim);
    unit.project({patches.row(first), rows, patches.dim, patches.stride}, head.projPatch,
                 projected);
    const Rows out(masks.row(first), rows, masks.dim, masks.stride);
    Finish keep;
    keep.rows = out.data;
    keep.stride = out.stride;
    const PackedView view = scratch.packedClasses.view();
    kernel.multiply(
        {unit.toUnits(projected), unit.stride(), rows, view, 0, view.inputs, 0, view.outputs},
        keep);
    normalizeRows(out, head.norm.view(), out);
  });
}

}  // namespace mpm::vit
