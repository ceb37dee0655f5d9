// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include "vit/gemm_tasks.h"
#include "vit/linear.h"
#include "vit/row_kernels.h"

namespace mpm::vit {

void linearCpu(ConstRows in, const LinearWeights& weights, Rows out) {
  assert(in.dim == weights.weight.dim && out.dim == weights.weight.count);
  assert(in.count == out.count);
  const auto addBias = [&](Rows tile, std::size_t, std::size_t column) {
    if (weights.bias == nullptr) return;
    for (std::size_t i = 0; i < tile.count; ++i) {
      addTo(tile.row(i), weights.bias + column, tile.dim);
    }
  };
  multiplyInTiles(in, weights.weight, Layout::outByIn, out, addBias);
}

}  // namespace mpm::vit
