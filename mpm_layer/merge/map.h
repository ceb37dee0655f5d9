// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace mpm::merge {

/// The composition r2(r1(i)) of two merges, in place: map[i] = clusterOf[map[i]].
void composeMap(std::int32_t* map, std::size_t originals, const std::int32_t* clusterOf);

/// The first original token whose map entry is not in [0, liveRows), or `originals` if none.
std::size_t firstOutside(const std::int32_t* map, std::size_t originals, std::size_t liveRows);

}  // namespace mpm::merge
