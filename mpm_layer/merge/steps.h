// SPDX-License-Identifier: Apache-2.0
// What a merge does row by row. Matching, its one large step, is in match.h, pairing in pair.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "merge/pair.h"
#include "mpm/rows.h"

namespace mpm::merge {

/// 1 / |row|, the factor that makes a row of `dim` floats a unit vector.
/// 0 for a zero row (it stays zero: its similarity to every row is 0), and NaN for a row with
/// a NaN or an infinity (it takes no part in matching).
/// Sums of squares are kept in double, so no finite row overflows or vanishes.
double inverseNormReference(const float* row, std::size_t dim);
double inverseNormCpu(const float* row, std::size_t dim);

/// merged.row(c) = the plain mean of the rows of cluster c, or its only row, to the bit.
/// How many original tokens stand behind a row does not count. No overflow: half plus half.
void averageReference(ConstRows tokens, const Cluster* clusters, std::size_t count, Rows merged);
void averageCpu(ConstRows tokens, const Cluster* clusters, std::size_t count, Rows merged);

/// full.row(i) = live.row(map[i]), a pure copy, for full.count original tokens.
/// Every entry of the map lies in [0, live.count).
void restoreReference(ConstRows live, const std::int32_t* map, Rows full);
void restoreCpu(ConstRows live, const std::int32_t* map, Rows full);

}  // namespace mpm::merge
