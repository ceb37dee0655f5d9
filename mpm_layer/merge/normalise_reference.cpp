// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "merge/normalise.h"

namespace mpm::merge {

double inverseNormReference(const float* row, std::size_t dim) {
  double sum = 0;
  for (std::size_t k = 0; k < dim; ++k) {
    const double x = row[k];
    sum += x * x;
  }
  if (!std::isfinite(sum)) return std::numeric_limits<double>::quiet_NaN();
  return sum > 0 ? 1 / std::sqrt(sum) : 0;
}

}  // namespace mpm::merge
