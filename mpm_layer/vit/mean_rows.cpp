// SPDX-License-Identifier: Apache-2.0
#include "vit/mean_rows.h"

#include <algorithm>
#include <array>

namespace mpm::vit {

void meanRows(ConstRows rows, const std::int32_t* counts, float* mean) {
  constexpr std::size_t kFeatures = 256;  // so many sums at a time need no memory but the stack's
  std::array<double, kFeatures> sums;
  for (std::size_t begin = 0; begin < rows.dim; begin += kFeatures) {
    const std::size_t features = std::min(kFeatures, rows.dim - begin);
    sums.fill(0);
    double total = 0;
    for (std::size_t i = 0; i < rows.count; ++i) {
      const double count = counts == nullptr ? 1 : counts[i];
      if (count == 0) continue;
      total += count;
      const float* row = rows.row(i) + begin;
      for (std::size_t k = 0; k < features; ++k) sums[k] += count * row[k];
    }
    for (std::size_t k = 0; k < features; ++k) {
      mean[begin + k] = static_cast<float>(sums[k] / total);
    }
  }
}

}  // namespace mpm::vit
