// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "mpm/rows.h"

namespace mpm::vit {

/// Weights of a LayerNorm over `dim` features, or of an RMSNorm, which subtracts no mean. Null
/// means a scale of 1 or a shift of 0.
struct NormWeights {
  const float* scale = nullptr;
  const float* shift = nullptr;
  float eps = 1e-5F;
  bool isCentred = true;
};

/// A norm that owns its weights; empty vectors mean none.
struct OwnedNorm {
  std::vector<float> scale, shift;
  float eps = 1e-5F;
  bool isCentred = true;

  OwnedNorm() = default;
  OwnedNorm(const NormWeights& weights, std::size_t dim);
  NormWeights view() const {
    return {scale.empty() ? nullptr : scale.data(), shift.empty() ? nullptr : shift.data(), eps,
            isCentred};
  }
};

/// Computes out [n x D] = (in - mean) / sqrt(variance + eps) * scale + shift, row by row. The
/// variance is the mean squared distance from the mean (divided by D), or from 0 if no mean is
/// subtracted. Sums are kept in double, so an offset that all features share leaves no trace. A row
/// of equal features gives the shift to the bit (for eps > 0). `out` may be `in`.
void normalizeCpu(ConstRows in, const NormWeights& weights, Rows out);

/// Runs `normalizeCpu` on the calling thread.
void normalizeRows(ConstRows in, const NormWeights& weights, Rows out);

/// Divides x by |x|; a zero row stays zero. The sum of squares is kept in double.
void makeUnit(float* x, std::size_t dim);

}  // namespace mpm::vit
