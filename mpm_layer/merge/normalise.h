// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mpm::merge {

/// 1 / |row|, the factor that makes a row of `dim` floats a unit vector.
/// 0 for a zero row (it stays zero: its similarity to every row is 0), and NaN for a row with
/// a NaN or an infinity (it takes no part in matching).
/// Sums of squares are kept in double, so no finite row overflows or vanishes.
double inverseNormReference(const float* row, std::size_t dim);
double inverseNormCpu(const float* row, std::size_t dim);

}  // namespace mpm::merge
