// SPDX-License-Identifier: Apache-2.0
#include "vit/late_restore.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mpm::vit {

void keyWeights(const std::int32_t* map, std::size_t originals, float* weights, std::size_t live) {
  std::fill_n(weights, live, 0.0F);  // float32 counts exactly to 2^24
  for (std::size_t i = 0; i < originals; ++i) weights[map[i]] += 1;
  for (std::size_t r = 0; r < live; ++r) weights[r] = std::log(weights[r]);
}

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
