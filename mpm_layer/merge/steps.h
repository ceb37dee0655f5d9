// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpm/rows.h"

// The steps of a merge in order, except matching, which has match.h to itself.

namespace mpm::merge {

/// Returns 1 / |row|, the factor that makes a row of `dim` floats a unit vector. Returns 0 for a
/// zero row, which stays zero and has similarity 0 to every row. Returns NaN for a row with a NaN
/// or an infinity, which takes no part in matching. Sums of squares are kept in double, so no
/// finite row overflows or vanishes.
double inverseNormReference(const float* row, std::size_t dim);
double inverseNormCpu(const float* row, std::size_t dim);

/// The members of a cluster; `second` is kAlone for a row without a partner.
struct Cluster {
  std::int32_t first = 0;
  std::int32_t second = 0;
};

constexpr std::int32_t kAlone = -1;

/// Sets partner[i] = b(i) where b(b(i)) = i, else kAlone. `best` is b, negative for none.
void pairMutual(const std::int32_t* best, std::size_t rows, std::int32_t* partner);

/// Numbers the clusters from left to right by their lowest members. Writes clusterOf[i] for each
/// row and clusters[c] for each cluster. Returns N', their number.
std::size_t compact(const std::int32_t* partner, std::size_t rows, std::int32_t* clusterOf,
                    Cluster* clusters);

/// Writes the plain mean of the rows of cluster c to merged.row(c), or its only row, to the bit. A
/// row's number of original tokens does not count. Half is added to half: no overflow.
void averageReference(ConstRows tokens, const Cluster* clusters, std::size_t count, Rows merged);
void averageCpu(ConstRows tokens, const Cluster* clusters, std::size_t count, Rows merged);

/// Composes two merges in place, r2(r1(i)): map[i] = clusterOf[map[i]].
void composeMap(std::int32_t* map, std::size_t originals, const std::int32_t* clusterOf);

/// Returns the first original token with a map entry outside [0, liveRows); `originals` if none.
std::size_t firstOutside(const std::int32_t* map, std::size_t originals, std::size_t liveRows);

/// Copies full.row(i) = live.row(map[i]) for full.count original tokens. Every entry of the map
/// lies in [0, live.count).
void restoreReference(ConstRows live, const std::int32_t* map, Rows full);
void restoreCpu(ConstRows live, const std::int32_t* map, Rows full);

}  // namespace mpm::merge
