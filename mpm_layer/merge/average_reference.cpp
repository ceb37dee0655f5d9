// SPDX-License-Identifier: Apache-2.0
#include "merge/average.h"

namespace mpm::merge {

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

}  // namespace mpm::merge
