// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "merge/slots.h"
#include "mpm/rows.h"

namespace mpm::merge {

/// Writes panel p as unit rows, feature by feature: feature k of slot s goes to
/// values[k * 32 + s]. Slots of rows that are not finite become empty, and empty slots are filled
/// with zeros. Says in slots.full whether none is empty. zeroRow: tokens.dim zeros.
void packPanel(ConstRows tokens, const float* zeroRow, Slots& slots, std::size_t p, float* values);

}  // namespace mpm::merge
