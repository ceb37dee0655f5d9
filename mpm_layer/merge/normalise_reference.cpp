// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "merge/normalise.h"

namespace mpm::merge {

void inverseNormsReference(ConstRows tokens, double* inverse) {
  for (std::size_t i = 0; i < tokens.count; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < tokens.dim; ++k) {
      const double x = tokens.row(i)[k];
      sum += x * x;
    }
    if (!std::isfinite(sum)) {
      inverse[i] = std::numeric_limits<double>::quiet_NaN();
    } else {
      inverse[i] = sum > 0 ? 1 / std::sqrt(sum) : 0;
    }
  }
}

}  // namespace mpm::merge
