// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "vit/gelu.h"

namespace mpm::vit {

/// `geluCpu` on `count` floats, on the calling thread: for what is in the cache already.
void geluRow(Gelu kind, float* x, std::size_t count);

}  // namespace mpm::vit
