// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include "processor/threads.h"
#include "vit/gemm_tasks.h"
#include "vit/mask_head.h"
#include "vit/row_kernels.h"

namespace mpm::vit {
namespace {

void keep(Rows, std::size_t, std::size_t) {}

void projectToUnitRows(ConstRows rows, ConstRows matrix, Rows out) {
  multiplyInTiles(rows, matrix, Layout::inByOut, out, keep);
  processor::forEachRowRange(out.count, out.dim * sizeof(float),
                             [&](std::size_t begin, std::size_t end) {
                               for (std::size_t i = begin; i < end; ++i) {
                                 makeUnit(out.row(i), out.dim);
                               }
                             });
}

}  // namespace

void maskHeadCpu(ConstRows patches, ConstRows classes, const MaskHeadWeights& weights,
                 MaskHeadScratch& scratch, Rows masks) {
  assert(patches.dim == weights.projPatch.count && classes.dim == weights.projClasses.count);
  assert(weights.projPatch.dim == weights.projClasses.dim);
  assert(masks.count == patches.count && masks.dim == classes.count);
  const Rows unitPatches = scratch.patches.rows(patches.count, weights.projPatch.dim);
  const Rows unitClasses = scratch.classes.rows(classes.count, weights.projClasses.dim);
  projectToUnitRows(patches, weights.projPatch, unitPatches);
  projectToUnitRows(classes, weights.projClasses, unitClasses);
  multiplyInTiles(unitPatches, unitClasses, Layout::outByIn, masks, keep);
  normalizeCpu(masks, weights.norm, masks);
}

}  // namespace mpm::vit
