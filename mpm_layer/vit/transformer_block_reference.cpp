// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "vit/transformer_block.h"

namespace mpm::vit {
namespace {

struct Matrix {
  std::vector<float> data;
  Rows rows;
  Matrix(std::size_t count, std::size_t dim) : data(count * dim), rows(data.data(), count, dim) {}
};

void addBranch(ConstRows branch, const float* layerScale, Rows x) {
  for (std::size_t i = 0; i < x.count; ++i) {
    for (std::size_t k = 0; k < x.dim; ++k) {
      const double scale = layerScale != nullptr ? layerScale[k] : 1;
      x.row(i)[k] = static_cast<float>(x.row(i)[k] + scale * branch.row(i)[k]);
    }
  }
}

}  // namespace

void transformerBlockReference(Rows x, const BlockWeights& weights, const float* keyWeights) {
  const std::size_t n = x.count, a = weights.proj.weight.dim;
  Matrix normed(n, x.dim), qkv(n, 3 * a), attended(n, a), branch(n, x.dim);
  Matrix hidden(n, weights.fc1.weight.count);

  normalizeReference(x, weights.norm1, normed.rows);
  linearReference(normed.rows, weights.qkv, qkv.rows);
  const ConstRows q(qkv.data.data(), n, a, 3 * a);
  const ConstRows k(qkv.data.data() + a, n, a, 3 * a);
  const ConstRows v(qkv.data.data() + 2 * a, n, a, 3 * a);
  attentionReference(q, k, v, {weights.heads, weights.scale, keyWeights}, attended.rows);
  linearReference(attended.rows, weights.proj, branch.rows);
  addBranch(branch.rows, weights.layerScale1, x);

  normalizeReference(x, weights.norm2, normed.rows);
  linearReference(normed.rows, weights.fc1, hidden.rows);
  geluReference(weights.gelu, hidden.rows);
  linearReference(hidden.rows, weights.fc2, branch.rows);
  addBranch(branch.rows, weights.layerScale2, x);
}

}  // namespace mpm::vit
