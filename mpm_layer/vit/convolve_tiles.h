// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "vit/convolve.h"

namespace mpm::vit {

/// Whether a convolution is computed in tiles of 4 x 4 places: one of 3 x 3 taps, which move by one
/// place, with so many channels and outputs that products take most of its time, and not so many
/// that its filters, of which there are four times as many floats then, fill the memory.
bool takesTiles(const ConvolveWeights& weights);

/// Its filters as tiles are multiplied by them: 36 times [outputs x stride].
std::vector<float> tileFilters(const ConvolveWeights& weights, std::size_t stride);

/// convolveCpu() of such filters, after Winograd: 36 products of channels for 16 places instead of
/// 144. Where one of the 6 x 6 places of the source that a tile is sums over is not finite, nothing
/// of the tile is a number.
void convolveTiles(const Image& source, const PackedConvolve& convolve, Activation activation,
                   std::size_t height, std::size_t width, float* out);

}  // namespace mpm::vit
