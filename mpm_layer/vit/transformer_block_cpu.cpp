// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include "vit/gelu_row.h"
#include "vit/gemm_tasks.h"
#include "vit/row_kernels.h"
#include "vit/transformer_block.h"

namespace mpm::vit {
namespace {

// x += layerScale * (in weightT + bias), by way of `branch`.
void addLinear(ConstRows in, const LinearWeights& linear, const float* layerScale, Rows branch,
               Rows x) {
  const auto addToX = [&](Rows tile, std::size_t row, std::size_t column) {
    for (std::size_t i = 0; i < tile.count; ++i) {
      if (linear.bias != nullptr) addTo(tile.row(i), linear.bias + column, tile.dim);
      float* const sum = x.row(row + i) + column;
      if (layerScale != nullptr) {
        addScaledTo(sum, tile.row(i), layerScale + column, tile.dim);
      } else {
        addTo(sum, tile.row(i), tile.dim);
      }
    }
  };
  multiplyInTiles(in, linear.weight, Layout::outByIn, branch, addToX);
}

void linearAndGelu(ConstRows in, const LinearWeights& linear, Gelu gelu, Rows out) {
  const auto activate = [&](Rows tile, std::size_t, std::size_t column) {
    for (std::size_t i = 0; i < tile.count; ++i) {
      if (linear.bias != nullptr) addTo(tile.row(i), linear.bias + column, tile.dim);
      geluRow(gelu, tile.row(i), tile.dim);
    }
  };
  multiplyInTiles(in, linear.weight, Layout::outByIn, out, activate);
}

}  // namespace

void transformerBlockCpu(Rows x, const BlockWeights& weights, const float* keyWeights,
                         BlockScratch& scratch) {
  const std::size_t n = x.count, a = weights.proj.weight.dim;
  assert(weights.qkv.weight.count == 3 * a && weights.proj.weight.count == x.dim);
  assert(weights.fc2.weight.count == x.dim);
  const Rows branch = scratch.branch.rows(n, x.dim);
  const Rows qkv = scratch.qkv.rows(n, 3 * a);
  const Rows attended = scratch.attended.rows(n, a);
  const Rows hidden = scratch.hidden.rows(n, weights.fc1.weight.count);

  normalizeCpu(x, weights.norm1, branch);
  linearCpu(branch, weights.qkv, qkv);
  const Attention attention{weights.heads, weights.scale, keyWeights};
  attentionCpu({qkv.data, n, a, qkv.stride}, {qkv.data + a, n, a, qkv.stride},
               {qkv.data + 2 * a, n, a, qkv.stride}, attention, scratch.attention, attended);
  addLinear(attended, weights.proj, weights.layerScale1, branch, x);

  normalizeCpu(x, weights.norm2, branch);
  linearAndGelu(branch, weights.fc1, weights.gelu, hidden);
  addLinear(hidden, weights.fc2, weights.layerScale2, branch, x);
}

}  // namespace mpm::vit
