// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "merge/match.h"
#include "merge/steps.h"

namespace mpm::merge {
namespace {

double similarity(ConstRows tokens, const std::vector<double>& inverse, std::size_t i,
                  std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < tokens.dim; ++k) {
    sum += static_cast<double>(tokens.row(i)[k]) * tokens.row(j)[k];
  }
  return sum * (inverse[i] * inverse[j]);
}

// Expects j to ascend for each i, so that a tie keeps the lowest row.
void offer(ReferenceMatch& best, double s, std::size_t j) {
  if (s > best.similarity) {
    best = {static_cast<std::int32_t>(j), s, best.similarity};
  } else if (s > best.runnerUp) {
    best.runnerUp = s;
  }
}

}  // namespace

void matchReference(ConstRows tokens, const Scope& scope, ReferenceMatch* best) {
  std::vector<double> inverse(tokens.count);
  for (std::size_t i = 0; i < tokens.count; ++i) {
    inverse[i] = inverseNormReference(tokens.row(i), tokens.dim);
    best[i] = {};
  }
  for (std::size_t i = 0; i < tokens.count; ++i) {
    for (std::size_t j = i + 1; j < tokens.count; ++j) {  // S is symmetric
      if (std::isnan(inverse[i]) || std::isnan(inverse[j]) || !scope.allows(i, j)) continue;
      const double s = similarity(tokens, inverse, i, j);
      offer(best[i], s, j);
      offer(best[j], s, i);
    }
  }
}

}  // namespace mpm::merge
