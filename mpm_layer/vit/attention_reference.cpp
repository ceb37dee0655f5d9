// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "vit/attention.h"

namespace mpm::vit {
namespace {

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

}  // namespace

void attentionReference(ConstRows q, ConstRows k, ConstRows v, const Attention& attention,
                        Rows out) {
  const std::size_t d = q.dim / attention.heads;
  std::vector<double> shares(k.count);
  for (std::size_t h = 0; h < attention.heads; ++h) {
    for (std::size_t i = 0; i < q.count; ++i) {
      for (std::size_t j = 0; j < k.count; ++j) {
        const double weight = attention.keyWeights != nullptr ? attention.keyWeights[j] : 0;
        shares[j] = attention.scale * dot(q.row(i) + h * d, k.row(j) + h * d, d) + weight;
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

}  // namespace mpm::vit
