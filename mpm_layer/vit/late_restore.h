// SPDX-License-Identifier: Apache-2.0
// Lets a network run on live rows instead of restored ones: only its result is restored.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpm/rows.h"

namespace mpm::vit {

/// Sets weights[r] to the log of how many of the `originals` entries of `map` are r, for each of
/// `live` rows. A row that nothing maps to gets -infinity. Every entry lies in [0, live).
///
/// With these key weights, full attention over live rows equals full attention over the restored
/// rows: exp(logit + log m) is m times exp(logit). Equal rows stay equal through every operation
/// that works row by row. A network of both kinds may thus run on live rows, with only its result
/// restored. Special rows stand for themselves alone: their weight is 0.
void keyWeights(const std::int32_t* map, std::size_t originals, float* weights, std::size_t live);

/// Computes mean [D] = sum of counts[i] * row i, divided by the sum of counts; null counts each row
/// once. Counts are 0 or more, and at least one is positive. A row with count 0 is not read. Sums
/// are kept in double.
///
/// If counts are each live row's number of original tokens, it is the mean of the restored rows.
void meanRows(ConstRows rows, const std::int32_t* counts, float* mean);

}  // namespace mpm::vit
