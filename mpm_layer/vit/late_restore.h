// SPDX-License-Identifier: Apache-2.0
// What a network takes on live rows in place of the rows restored: only its result is restored.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpm/rows.h"

namespace mpm::vit {

/// weights[r] = log of how many of the `originals` entries of `map` are r, for each of `live`
/// rows; -infinity for a row that nothing maps to. Every entry lies in [0, live).
///
/// With these weights for its keys, full attention over live rows equals full attention over
/// the rows restored: exp(logit + log m) is m times exp(logit). Equal rows stay equal through
/// every operation that works row by row. So a network of both kinds may run on live rows, and
/// only its result be restored. Special rows stand for themselves alone: their weight is 0.
void keyWeights(const std::int32_t* map, std::size_t originals, float* weights, std::size_t live);

/// mean [D] = sum of counts[i] * row i, divided by the sum of counts; without counts (null) each
/// row counts once. Counts are 0 or more, and one at least is positive. A row that counts 0 times
/// is not read. Sums are kept in double.
///
/// With how many original tokens stand behind each live row for counts, it is the mean of the
/// rows restored.
void meanRows(ConstRows rows, const std::int32_t* counts, float* mean);

}  // namespace mpm::vit
