// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "vit/convolve.h"

namespace mpm::vit {

/// Tells whether to compute a convolution in tiles of 4 x 4 places. It needs 3 x 3 taps and a
/// stride of one place, and enough channels and outputs that products take most of its time. It
/// must not have so many that its filters, which become four times as large, fill the memory.
bool takesTiles(const ConvolveWeights& weights);

/// Returns filters as tiles are multiplied by them: 36 times [outputs x stride].
std::vector<float> tileFilters(const ConvolveWeights& weights, std::size_t stride);

/// Does the work of convolveCpu() with such filters, after Winograd: 36 products of channels for 16
/// places instead of 144. If one of a tile's 6 x 6 source places is not finite, the whole tile
/// becomes NaN.
void convolveTiles(const Image& source, const PackedConvolve& convolve, Activation activation,
                   std::size_t height, std::size_t width, float* out);

}  // namespace mpm::vit
