// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "mpm/rows.h"

namespace mpm::vit {

/// Of a LayerNorm over `dim` features, or of an RMSNorm, which takes no mean off. Null: a scale of
/// 1, a shift of 0.
struct NormWeights {
  const float* scale = nullptr;
  const float* shift = nullptr;
  float eps = 1e-5F;
  bool isCentred = true;
};

/// A norm with weights of its own; empty: none.
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

/// out [n x D] = (in - mean) / sqrt(variance + eps) * scale + shift, row by row; the variance is
/// the mean of the squared distances (divided by D), from 0 where no mean is taken off. Sums are
/// kept in double, so an offset that all features share leaves no trace: a row of equal features
/// gives the shift to the bit (of eps > 0). `out` may be `in`.
void normalizeCpu(ConstRows in, const NormWeights& weights, Rows out);

/// `normalizeCpu` on the calling thread.
void normalizeRows(ConstRows in, const NormWeights& weights, Rows out);

/// x / |x|; a zero row stays zero. The sum of squares is kept in double.
void makeUnit(float* x, std::size_t dim);

}  // namespace mpm::vit
