// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "merge/slots.h"
#include "mpm/rows.h"

namespace mpm::merge {

/// Writes panels [first, last) as unit rows, feature by feature: feature k of slot s of panel p
/// goes to panels[(p - first) * dim * 32 + k * 32 + s]. Slots of rows that are not finite
/// become empty, and empty slots are filled with zeros. Says in slots.full which panels are.
/// zeroRow: tokens.dim zeros.
void packPanels(ConstRows tokens, const float* zeroRow, Slots& slots, std::size_t first,
                std::size_t last, float* panels);

}  // namespace mpm::merge
