// SPDX-License-Identifier: Apache-2.0
// A block and what it consists of: norm, linear layer, GELU, attention.
#include "vit/references.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mpm::vit {
namespace {

constexpr double kPi = 3.14159265358979323846;

double gelu(Gelu kind, double x) {
  switch (kind) {
    case Gelu::erf:
      return x / 2 * std::erfc(-x / std::sqrt(2.0));
    case Gelu::tanh:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / kPi) * (x + 0.044715 * x * x * x)));
    case Gelu::quick:
      break;
  }
  return x / (1 + std::exp(-1.702 * x));
}

double dot(const float* a, const float* b, std::size_t dim) {
  double sum = 0;
  for (std::size_t k = 0; k < dim; ++k) sum += static_cast<double>(a[k]) * b[k];
  return sum;
}

void softmax(std::vector<double>& logits) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double logit : logits) largest = std::max(largest, logit);
  if (std::isinf(largest) && largest < 0) largest = 0;  // no key: every exp is 0, or NaN
  double sum = 0;
  for (double& logit : logits) sum += logit = std::exp(logit - largest);
  for (double& share : logits) share = sum == 0 ? 0 : share / sum;
}

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

void normalizeReference(ConstRows in, const NormWeights& weights, Rows out) {
  const auto dim = static_cast<double>(in.dim);
  for (std::size_t i = 0; i < in.count; ++i) {
    const float* x = in.row(i);

    double sum = 0;
    for (std::size_t k = 0; k < in.dim; ++k) sum += x[k];
    const double mean = weights.isCentred ? sum / dim : 0;
    double squares = 0;
    for (std::size_t k = 0; k < in.dim; ++k) squares += (x[k] - mean) * (x[k] - mean);
    const double variance = squares / dim;

    for (std::size_t k = 0; k < in.dim; ++k) {
      const double scale = weights.scale != nullptr ? weights.scale[k] : 1;
      const double shift = weights.shift != nullptr ? weights.shift[k] : 0;
      out.row(i)[k] =
          static_cast<float>((x[k] - mean) / std::sqrt(variance + weights.eps) * scale + shift);
    }
  }
}

void linearReference(ConstRows in, const LinearWeights& weights, Rows out) {
  for (std::size_t i = 0; i < in.count; ++i) {
    for (std::size_t m = 0; m < weights.weight.count; ++m) {
      double sum = weights.bias != nullptr ? weights.bias[m] : 0;
      for (std::size_t k = 0; k < in.dim; ++k) {
        sum += static_cast<double>(in.row(i)[k]) * weights.weight.row(m)[k];
      }
      out.row(i)[m] = static_cast<float>(sum);
    }
  }
}

void geluReference(Gelu kind, Rows rows) {
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t k = 0; k < rows.dim; ++k) {
      rows.row(i)[k] = static_cast<float>(gelu(kind, rows.row(i)[k]));
    }
  }
}

void attentionReference(ConstRows q, ConstRows k, ConstRows v, const Attention& attention, Rows out,
                        const BiasTable* table) {
  const std::size_t d = q.dim / attention.heads;
  std::vector<double> shares(k.count);
  for (std::size_t h = 0; h < attention.heads; ++h) {
    for (std::size_t i = 0; i < q.count; ++i) {
      for (std::size_t j = 0; j < k.count; ++j) {
        const double weight = attention.keyWeights != nullptr ? attention.keyWeights[j] : 0;
        const float* const bias = table == nullptr ? nullptr : table->row(h, i);
        shares[j] = attention.scale * dot(q.row(i) + h * d, k.row(j) + h * d, d) + weight +
                    (bias == nullptr ? 0 : bias[j]);
      }
      softmax(shares);
      for (std::size_t c = h * d; c < (h + 1) * d; ++c) {
        double sum = 0;
        for (std::size_t j = 0; j < v.count; ++j) sum += shares[j] * v.row(j)[c];
        out.row(i)[c] = static_cast<float>(sum);
      }
    }
  }
}

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
