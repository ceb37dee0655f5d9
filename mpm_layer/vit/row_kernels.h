// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mpm::vit {

/// x += y
void addTo(float* x, const float* y, std::size_t dim);
/// x += scale * y, feature by feature
void addScaledTo(float* x, const float* y, const float* scale, std::size_t dim);
/// x *= factor
void scaleBy(float* x, float factor, std::size_t dim);
/// x / |x|; a zero row stays zero. The sum of squares is kept in double.
void makeUnit(float* x, std::size_t dim);

}  // namespace mpm::vit
