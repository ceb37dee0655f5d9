// SPDX-License-Identifier: Apache-2.0
#include "merge/scope.h"

#include <cstdlib>

namespace mpm::merge {

bool Scope::allows(std::size_t i, std::size_t j) const {
  if (i == j) return false;
  if (!region.empty() && region[i] != region[j]) return false;
  return window == 0 || (std::abs(y[i] - y[j]) <= window && std::abs(x[i] - x[j]) <= window);
}

void buildScope(const MergeOptions& options, const std::int32_t* map, std::size_t originals,
                std::size_t liveRows, Scope& scope) {
  scope.window = options.window;
  scope.y.resize(options.window > 0 ? liveRows : 0);
  scope.x.resize(options.window > 0 ? liveRows : 0);
  scope.region.resize(options.regions != nullptr ? liveRows : 0);
  if (!scope.restricted()) return;

  for (std::size_t i = originals; i-- > 0;) {  // backwards: the lowest member writes last
    const auto live = static_cast<std::size_t>(map[i]);
    if (options.window > 0) {
      scope.y[live] = static_cast<std::int32_t>(i) / options.gridWidth;
      scope.x[live] = static_cast<std::int32_t>(i) % options.gridWidth;
    }
    if (options.regions != nullptr) scope.region[live] = options.regions[i];
  }
}

}  // namespace mpm::merge
