// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace mpm::merge {

/// The members of a cluster; `second` is kAlone for a row that found no partner.
struct Cluster {
  std::int32_t first = 0;
  std::int32_t second = 0;
};

constexpr std::int32_t kAlone = -1;

/// partner[i] = b(i) where b(b(i)) = i, else kAlone. `best`: b, or a negative number for none.
void pairMutual(const std::int32_t* best, std::size_t rows, std::int32_t* partner);

/// Numbers the clusters by a scan from left to right over their lowest members:
/// clusterOf[i] for each row, clusters[c] for each of the N' clusters, whose number it returns.
std::size_t compact(const std::int32_t* partner, std::size_t rows, std::int32_t* clusterOf,
                    Cluster* clusters);

/// The composition r2(r1(i)) of two merges, in place: map[i] = clusterOf[map[i]].
void composeMap(std::int32_t* map, std::size_t originals, const std::int32_t* clusterOf);

/// The first original token whose map entry is not in [0, liveRows), or `originals` if none.
std::size_t firstOutside(const std::int32_t* map, std::size_t originals, std::size_t liveRows);

}  // namespace mpm::merge
