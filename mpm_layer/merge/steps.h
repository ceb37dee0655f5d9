// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpm/rows.h"

// The steps of a merge in their order, but for matching, its one large one, which is in match.h.

namespace mpm::merge {

/// 1 / |row|, the factor that makes a row of `dim` floats a unit vector.
/// 0 for a zero row (it stays zero: its similarity to every row is 0), and NaN for a row with
/// a NaN or an infinity (it takes no part in matching).
/// Sums of squares are kept in double, so no finite row overflows or vanishes.
double inverseNormReference(const float* row, std::size_t dim);
double inverseNormCpu(const float* row, std::size_t dim);

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

/// merged.row(c) = the plain mean of the rows of cluster c, or its only row, to the bit.
/// How many original tokens stand behind a row does not count. No overflow: half plus half.
void averageReference(ConstRows tokens, const Cluster* clusters, std::size_t count, Rows merged);
void averageCpu(ConstRows tokens, const Cluster* clusters, std::size_t count, Rows merged);

/// The composition r2(r1(i)) of two merges, in place: map[i] = clusterOf[map[i]].
void composeMap(std::int32_t* map, std::size_t originals, const std::int32_t* clusterOf);

/// The first original token whose map entry is not in [0, liveRows), or `originals` if none.
std::size_t firstOutside(const std::int32_t* map, std::size_t originals, std::size_t liveRows);

/// full.row(i) = live.row(map[i]), a pure copy, for full.count original tokens.
/// Every entry of the map lies in [0, live.count).
void restoreReference(ConstRows live, const std::int32_t* map, Rows full);
void restoreCpu(ConstRows live, const std::int32_t* map, Rows full);

}  // namespace mpm::merge
