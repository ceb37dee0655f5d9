// SPDX-License-Identifier: Apache-2.0
#include "merge/pair.h"

namespace mpm::merge {

void pairMutual(const std::int32_t* best, std::size_t rows, std::int32_t* partner) {
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int32_t j = best[i];
    partner[i] = j >= 0 && best[j] == static_cast<std::int32_t>(i) ? j : kAlone;
  }
}

std::size_t compact(const std::int32_t* partner, std::size_t rows, std::int32_t* clusterOf,
                    Cluster* clusters) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = static_cast<std::int32_t>(i);
    const std::int32_t other = partner[i];
    if (other != kAlone && other < row) {
      clusterOf[i] = clusterOf[other];
      continue;
    }
    clusters[count] = {row, other};
    clusterOf[i] = static_cast<std::int32_t>(count++);
  }
  return count;
}

}  // namespace mpm::merge
