// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpm/rows.h"

namespace mpm::merge {

/// inverse[i] = 1 / |row i|, the factor that makes row i a unit vector.
/// 0 for a zero row (it stays zero: its similarity to every row is 0), and NaN for a row with
/// a NaN or an infinity (it takes no part in matching).
/// Sums of squares are kept in double, so no finite row overflows or vanishes.
void inverseNormsReference(ConstRows tokens, double* inverse);
void inverseNormsCpu(ConstRows tokens, double* inverse);

}  // namespace mpm::merge
