// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpm/rows.h"

namespace mpm::vit {

/// mean [D] = sum of counts[i] * row i, divided by the sum of counts; without counts (null) each
/// row counts once. Counts are 0 or more, and one at least is positive. A row that counts 0 times
/// is not read. Sums are kept in double.
///
/// With how many original tokens stand behind each live row for counts, it is the mean of the
/// rows restored.
void meanRows(ConstRows rows, const std::int32_t* counts, float* mean);

}  // namespace mpm::vit
