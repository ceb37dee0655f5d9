// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/scenes/drawing/layout.h"

namespace mpm::scenes {

/// Fills the far side of the street: rows of houses, gaps, a piece of park. Far ones first.
void planBuildings(Layout& layout, Draw draw);

}  // namespace mpm::scenes
