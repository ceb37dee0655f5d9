// SPDX-License-Identifier: Apache-2.0
#include "merge/steps.h"

#include "mpm/merge.h"

namespace mpm {

void identityMap(std::int32_t* map, std::size_t originals) {
  for (std::size_t i = 0; i < originals; ++i) map[i] = static_cast<std::int32_t>(i);
}

namespace merge {

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

void composeMap(std::int32_t* map, std::size_t originals, const std::int32_t* clusterOf) {
  for (std::size_t i = 0; i < originals; ++i) map[i] = clusterOf[map[i]];
}

std::size_t firstOutside(const std::int32_t* map, std::size_t originals, std::size_t liveRows) {
  for (std::size_t i = 0; i < originals; ++i) {
    if (map[i] < 0 || static_cast<std::size_t>(map[i]) >= liveRows) return i;
  }
  return originals;
}

}  // namespace merge
}  // namespace mpm
