// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "vit/references.h"

namespace mpm::vit {
namespace {

using UnitRow = std::vector<double>;

std::vector<UnitRow> projectToUnitRows(ConstRows rows, ConstRows matrix) {
  std::vector<UnitRow> projected;
  for (std::size_t i = 0; i < rows.count; ++i) {
    UnitRow unit(matrix.dim, 0);
    double squares = 0;
    for (std::size_t m = 0; m < matrix.dim; ++m) {
      for (std::size_t k = 0; k < matrix.count; ++k) {
        unit[m] += static_cast<double>(rows.row(i)[k]) * matrix.row(k)[m];
      }
      squares += unit[m] * unit[m];
    }
    for (double& x : unit) x = squares > 0 ? x / std::sqrt(squares) : x;
    projected.push_back(unit);
  }
  return projected;
}

}  // namespace

void maskHeadReference(ConstRows patches, ConstRows classes, const MaskHeadWeights& weights,
                       Rows masks) {
  const auto unitPatches = projectToUnitRows(patches, weights.projPatch);
  const auto unitClasses = projectToUnitRows(classes, weights.projClasses);
  for (std::size_t i = 0; i < patches.count; ++i) {
    for (std::size_t c = 0; c < classes.count; ++c) {
      double similarity = 0;
      for (std::size_t k = 0; k < weights.projPatch.dim; ++k) {
        similarity += unitPatches[i][k] * unitClasses[c][k];
      }
      masks.row(i)[c] = static_cast<float>(similarity);
    }
  }
  normalizeReference(masks, weights.norm, masks);
}

}  // namespace mpm::vit
