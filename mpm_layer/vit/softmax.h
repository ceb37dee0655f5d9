// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mpm::vit {

/// The numerators of a softmax in place, and their sum: with y = scale x + weights (null: none),
/// x becomes exp(y - largest y). Where every y is -infinity, x becomes 0 and so is the sum.
/// A NaN stays NaN, and so becomes the sum.
float softmaxNumerators(float* x, std::size_t count, float scale, const float* weights);

}  // namespace mpm::vit
