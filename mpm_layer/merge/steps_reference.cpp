// SPDX-License-Identifier: Apache-2.0
#include "merge/steps.h"

#include <cmath>
#include <limits>

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

void averageReference(ConstRows tokens, const Cluster* clusters, std::size_t count, Rows merged) {
  for (std::size_t c = 0; c < count; ++c) {
    const Cluster& cluster = clusters[c];
    for (std::size_t k = 0; k < tokens.dim; ++k) {
      const float first = tokens.row(cluster.first)[k];
      merged.row(c)[k] =
          cluster.second == kAlone
              ? first
              : static_cast<float>((static_cast<double>(first) + tokens.row(cluster.second)[k]) /
                                   2);
    }
  }
}

void restoreReference(ConstRows live, const std::int32_t* map, Rows full) {
  for (std::size_t i = 0; i < full.count; ++i) {
    for (std::size_t k = 0; k < full.dim; ++k) full.row(i)[k] = live.row(map[i])[k];
  }
}

}  // namespace mpm::merge
