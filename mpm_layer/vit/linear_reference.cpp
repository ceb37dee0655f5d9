// SPDX-License-Identifier: Apache-2.0
#include "vit/linear.h"

namespace mpm::vit {

void linearReference(ConstRows in, const LinearWeights& weights, Rows out) {
  for (std::size_t i = 0; i < in.count; ++i) {
    for (std::size_t m = 0; m < weights.weight.count; ++m) {
      double sum = weights.bias != nullptr ? weights.bias[m] : 0;
      for (std::size_t k = 0; k < in.dim; ++k) {
        sum += static_cast<double>(in.row(i)[k]) * weights.weight.row(m)[k];
      }
      out.row(i)[m] = static_cast<float>(sum);
    }
  }
}

}  // namespace mpm::vit
