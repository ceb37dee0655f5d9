// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace mpm::vit {

/// weights[r] = log of how many of the `originals` entries of `map` are r, for each of `live`
/// rows; -infinity for a row that nothing maps to. Every entry lies in [0, live).
///
/// With these weights for its keys, full attention over live rows equals full attention over
/// the rows restored: exp(logit + log m) is m times exp(logit). Equal rows stay equal through
/// every operation that works row by row. So a network of both kinds may run on live rows, and
/// only its result be restored. Special rows stand for themselves alone: their weight is 0.
void keyWeights(const std::int32_t* map, std::size_t originals, float* weights, std::size_t live);

}  // namespace mpm::vit
