// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mpm::vit {

/// x / |x|; a zero row stays zero. The sum of squares is kept in double.
void makeUnit(float* x, std::size_t dim);

}  // namespace mpm::vit
