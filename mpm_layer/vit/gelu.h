// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpm/gelu.h"
#include "mpm/rows.h"

namespace mpm::vit {

using mpm::Gelu;

/// Every float of `rows` in place. Products end with the same, within 5e-7 of max(1, |x|) of it
/// in float32.
void geluReference(Gelu kind, Rows rows);

}  // namespace mpm::vit
