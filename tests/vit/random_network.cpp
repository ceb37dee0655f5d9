// SPDX-License-Identifier: Apache-2.0
#include "vit/random_network.h"

#include <cmath>

namespace mpm::test {
namespace {

double fanIn(std::size_t in) { return 1 / std::sqrt(static_cast<double>(in)); }

}  // namespace

ConstRows RandomNetwork::matrix(std::size_t count, std::size_t dim, double mean, double deviation) {
  owned_.push_back(normalRows(count, dim, seed_++));
  for (float& x : owned_.back().data) x = static_cast<float>(mean + deviation * x);
  return owned_.back().view();
}

const float* RandomNetwork::vector(std::size_t dim, double mean, double deviation) {
  return matrix(1, dim, mean, deviation).data;
}

vit::NormWeights RandomNetwork::norm(std::size_t dim) {
  vit::NormWeights weights;
  weights.scale = vector(dim, 1, 0.2);
  weights.shift = vector(dim, 0, 0.2);
  weights.eps = 1e-6F;
  return weights;
}

vit::LinearWeights RandomNetwork::linear(std::size_t in, std::size_t out) {
  return {matrix(out, in, 0, fanIn(in)), vector(out, 0, 0.1)};
}

vit::BlockWeights RandomNetwork::block(std::size_t dim, std::size_t heads, vit::Gelu gelu,
                                       bool bare) {
  vit::BlockWeights weights;
  weights.qkv = linear(dim, 3 * dim);
  weights.proj = linear(dim, dim);
  weights.fc1 = linear(dim, 4 * dim);
  weights.fc2 = linear(4 * dim, dim);
  weights.heads = heads;
  weights.scale = static_cast<float>(fanIn(dim / heads));
  weights.gelu = gelu;
  if (bare) {
    weights.qkv.bias = weights.proj.bias = weights.fc1.bias = weights.fc2.bias = nullptr;
  } else {
    weights.norm1 = norm(dim);
    weights.norm2 = norm(dim);
    weights.layerScale1 = vector(dim, 0.5, 0.2);
    weights.layerScale2 = vector(dim, 0.5, 0.2);
  }
  return weights;
}

vit::MaskHeadWeights RandomNetwork::maskHead(std::size_t dim, std::size_t classes) {
  vit::MaskHeadWeights weights;
  weights.projPatch = matrix(dim, dim, 0, fanIn(dim));
  weights.projClasses = matrix(dim, dim, 0, fanIn(dim));
  weights.norm = norm(classes);
  weights.norm.eps = 1e-5F;
  return weights;
}

}  // namespace mpm::test
