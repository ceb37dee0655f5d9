// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "vit/normalize.h"

namespace mpm::vit {

void normalizeReference(ConstRows in, const NormWeights& weights, Rows out) {
  const auto dim = static_cast<double>(in.dim);
  for (std::size_t i = 0; i < in.count; ++i) {
    const float* x = in.row(i);

    double sum = 0;
    for (std::size_t k = 0; k < in.dim; ++k) sum += x[k];
    const double mean = sum / dim;
    double squares = 0;
    for (std::size_t k = 0; k < in.dim; ++k) squares += (x[k] - mean) * (x[k] - mean);
    const double variance = squares / dim;

    for (std::size_t k = 0; k < in.dim; ++k) {
      const double scale = weights.scale != nullptr ? weights.scale[k] : 1;
      const double shift = weights.shift != nullptr ? weights.shift[k] : 0;
      out.row(i)[k] =
          static_cast<float>((x[k] - mean) / std::sqrt(variance + weights.eps) * scale + shift);
    }
  }
}

}  // namespace mpm::vit
