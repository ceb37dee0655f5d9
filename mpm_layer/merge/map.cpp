// SPDX-License-Identifier: Apache-2.0
#include "merge/map.h"

#include "mpm/merge.h"

namespace mpm {
namespace merge {

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

void identityMap(std::int32_t* map, std::size_t originals) {
  for (std::size_t i = 0; i < originals; ++i) map[i] = static_cast<std::int32_t>(i);
}

}  // namespace mpm
