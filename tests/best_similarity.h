// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "mpm/rows.h"

namespace mpm::test {

/// Each row's largest cosine similarity to another one that `mayPair(i, j)` allows, in float64 from
/// the definition; NaN where there is none. Rows that are not finite have none and are none.
template <class MayPair>
std::vector<double> bestSimilarities(ConstRows rows, const MayPair& mayPair) {
  const auto dot = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < rows.dim; ++k) {
      sum += static_cast<double>(rows.row(i)[k]) * static_cast<double>(rows.row(j)[k]);
    }
    return sum;
  };
  std::vector<double> norms(rows.count);
  for (std::size_t i = 0; i < rows.count; ++i) norms[i] = std::sqrt(dot(i, i));
  std::vector<double> best(rows.count, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t j = 0; j < rows.count; ++j) {
      if (i == j || !std::isfinite(norms[i] + norms[j]) || !mayPair(i, j)) continue;
      const double both = norms[i] * norms[j];
      best[i] = std::fmax(best[i], both > 0 ? dot(i, j) / both : 0);
    }
  }
  return best;
}

inline std::vector<double> bestSimilarities(ConstRows rows) {
  return bestSimilarities(rows, [](std::size_t, std::size_t) { return true; });
}

}  // namespace mpm::test
