// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "mpm/rows.h"

namespace mpm::merge {

/// full.row(i) = live.row(map[i]), a pure copy, for full.count original tokens.
/// Every entry of the map lies in [0, live.count).
void restoreReference(ConstRows live, const std::int32_t* map, Rows full);
void restoreCpu(ConstRows live, const std::int32_t* map, Rows full);

}  // namespace mpm::merge
