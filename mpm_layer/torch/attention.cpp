// SPDX-License-Identifier: Apache-2.0
#include "torch/attention.h"

#include <ATen/ATen.h>

#include <vector>

namespace mpm::torch_runner {
namespace {

constexpr std::int64_t kWeightFeatures = 2;

std::int64_t paddedTo(std::int64_t multiple, std::int64_t features) {
  return (features + multiple - 1) / multiple * multiple;
}

/// Returns [heads count x features, ...] with zeros after each head's features.
at::Tensor padRows(const at::Tensor& rows, std::int64_t features, std::int64_t padded) {
  const std::int64_t heads = rows.size(0) / features, columns = rows.numel() / rows.size(0);
  const at::Tensor out = at::zeros({heads, padded, columns}, rows.options());
  out.narrow(1, 0, features).copy_(rows.reshape({heads, features, columns}));
  std::vector<std::int64_t> sizes = rows.sizes().vec();
  sizes[0] = heads * padded;
  return out.reshape(sizes);
}

}  // namespace

Heads::Heads(std::int64_t count_, std::int64_t features_, bool weighted, const Device& device)
    : count(count_), features(features_), foldsWeights(weighted && device.foldsWeights()) {
  padded = paddedTo(device.headMultiple(), features + (foldsWeights ? kWeightFeatures : 0));
}

Linear padQkv(const Linear& qkv, const Heads& heads) {
  if (heads.padded == heads.features) return qkv;
  Linear out;
  out.weight = padRows(qkv.weight, heads.features, heads.padded);
  if (qkv.bias.defined()) out.bias = padRows(qkv.bias, heads.features, heads.padded);
  if (!heads.foldsWeights) return out;
  if (!out.bias.defined()) out.bias = at::zeros({out.weight.size(0)}, out.weight.options());
  out.bias.view({3, heads.count, heads.padded})
      .select(0, 0)
      .narrow(1, heads.features, kWeightFeatures)
      .fill_(1);
  return out;
}

Linear padProjection(const Linear& projection, const Heads& heads) {
  if (heads.padded == heads.features) return projection;
  const at::Tensor turned = projection.weight.t().contiguous();
  return {padRows(turned, heads.features, heads.padded).t().contiguous(), projection.bias};
}

at::Tensor weightFeatures(const at::Tensor& logWeights, double scale, at::ScalarType type) {
  const at::Tensor wanted = logWeights / scale;
  const at::Tensor high = wanted.to(type);
  return at::stack({high, (wanted - high).to(type)}, 1).unsqueeze(1);
}

const KeyWeights& keyWeightsOf(const Layout& layout, const at::Tensor& map, std::int64_t special,
                               const Device& device) {
  KeyWeights& weights = layout.keyWeights;
  if (!weights.map.is_same(map)) {
    weights = {
        map, device.multiplicities(layout, map, special).clamp_min(1).to(at::kFloat).log_(), {}, 0};
  }
  return weights;
}

at::Tensor attend(const at::Tensor& qkv, const Heads& heads, double scale, const Layout& layout,
                  const KeyWeights* weights, const Device& device) {
  const at::Tensor parts = qkv.view({qkv.size(0), 3, heads.count, heads.padded});
  const at::Tensor keys = parts.select(1, 1);
  at::Tensor logWeights;
  if (weights != nullptr && heads.foldsWeights) {
    KeyWeights& cached = layout.keyWeights;
    const bool fits = cached.features.defined() && cached.scale == scale &&
                      cached.features.scalar_type() == qkv.scalar_type();
    if (!fits) {
      cached.features = weightFeatures(cached.log, scale, qkv.scalar_type());
      cached.scale = scale;
    }
    keys.narrow(2, heads.features, kWeightFeatures).copy_(cached.features);
  } else if (weights != nullptr) {
    logWeights = weights->log;
  }
  return device.attend({parts.select(1, 0), keys, parts.select(1, 2), scale, logWeights, layout})
      .reshape({qkv.size(0), heads.count * heads.padded});
}

}  // namespace mpm::torch_runner
