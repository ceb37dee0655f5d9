// SPDX-License-Identifier: Apache-2.0
#include "plain_vit.h"

#include <ATen/ATen.h>
#include <torch/version.h>

#include <cmath>
#include <limits>

namespace mpm::bench {
namespace {

at::Tensor norm(const LayerSpec& spec, const at::Tensor& x, const char* scale, const char* shift) {
  return at::layer_norm(x, {x.size(-1)}, spec.constant(scale), spec.constant(shift), 1e-6);
}

at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
#if TORCH_VERSION_MAJOR >= 2
  return at::scaled_dot_product_attention(q, k, v);
#else
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(-1)));
  return at::matmul(at::softmax(at::matmul(q * scale, k.transpose(-2, -1)), -1), v);
#endif
}

at::Tensor block(const LayerSpec& spec, at::Tensor x) {
  const std::int64_t batch = x.size(0), rows = x.size(1), dim = x.size(2);
  const auto heads = static_cast<std::int64_t>(spec.numbers.at("heads")[0]);
  const at::Tensor qkv = at::linear(norm(spec, x, "norm1_scale", "norm1_shift"),
                                    spec.constant("qkv_weight"), spec.constant("qkv_bias"))
                             .reshape({batch, rows, 3, heads, dim / heads})
                             .permute({2, 0, 3, 1, 4});
  const at::Tensor mixed =
      attend(qkv[0], qkv[1], qkv[2]).transpose(1, 2).reshape({batch, rows, dim});
  x = x + at::linear(mixed, spec.constant("proj_weight"), spec.constant("proj_bias"));
  const at::Tensor hidden =
      at::gelu(at::linear(norm(spec, x, "norm2_scale", "norm2_shift"), spec.constant("fc1_weight"),
                          spec.constant("fc1_bias")));
  return x + at::linear(hidden, spec.constant("fc2_weight"), spec.constant("fc2_bias"));
}

at::Tensor unitRows(const at::Tensor& x) {
  return x / x.norm(2, -1, /*keepdim=*/true).clamp_min(1e-12);
}

}  // namespace

PlainVit::PlainVit(const Model& model, at::Device device, at::ScalarType type)
    : device_(device), type_(type), model_(model) {
  for (LayerSpec* spec : {&model_.embed, &model_.norm, &model_.decoderLinear, &model_.classRows,
                          &model_.decoderNorm, &model_.head})
    *spec = moved(*spec);
  for (auto* blocks : {&model_.blocks, &model_.decoderBlocks})
    for (LayerSpec& spec : *blocks) spec = moved(spec);
}

LayerSpec PlainVit::moved(const LayerSpec& spec) const {
  LayerSpec there = spec;
  for (auto& [key, tensor] : there.constants) tensor = tensor.to(device_, type_);
  return there;
}

at::Tensor PlainVit::forward(const at::Tensor& image) const {
  const std::int64_t batch = image.size(0), classes = model_.size.classes;
  const at::Tensor patches = at::conv2d(image.to(type_), model_.embed.constant("weight"),
                                        model_.embed.constant("bias"), model_.size.patch)
                                 .flatten(2)
                                 .transpose(1, 2);
  at::Tensor x = at::cat({model_.embed.constant("special").expand({batch, -1, -1}),
                          patches + model_.embed.constant("position")},
                         1);
  for (const LayerSpec& spec : model_.blocks) x = block(spec, x);
  x = norm(model_.norm, x, "scale", "shift").slice(1, 1);
  x = at::linear(x, model_.decoderLinear.constant("weight"), model_.decoderLinear.constant("bias"));
  x = at::cat({model_.classRows.constant("special_rows").expand({batch, -1, -1}), x}, 1);
  for (const LayerSpec& spec : model_.decoderBlocks) x = block(spec, x);
  x = norm(model_.decoderNorm, x, "scale", "shift");
  const at::Tensor tokens = at::matmul(x.slice(1, classes), model_.head.constant("proj_patch"));
  const at::Tensor rows = at::matmul(x.slice(1, 0, classes), model_.head.constant("proj_classes"));
  const at::Tensor scores = at::matmul(unitRows(tokens), unitRows(rows).transpose(1, 2));
  return at::layer_norm(scores, {classes}, model_.head.constant("norm_scale"),
                        model_.head.constant("norm_shift"), 1e-5);
}

PaperMerge paperMerge(const at::Tensor& tokens, const at::Tensor& given) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::int64_t batch = tokens.size(0), count = tokens.size(1);
  const at::TensorOptions integers = tokens.options().dtype(at::kLong);
  const at::Tensor lengths = given.defined() ? given : at::full({batch}, count, integers);
  const at::Tensor own = at::arange(count, integers).expand({batch, count});
  const at::Tensor live = own < lengths.unsqueeze(1);

  const at::Tensor unit = unitRows(tokens);
  at::Tensor similarity = at::bmm(unit, unit.transpose(1, 2));
  similarity.diagonal(0, 1, 2).fill_(-kInfinity);
  if (given.defined()) similarity.masked_fill_(live.logical_not().unsqueeze(1), -kInfinity);
  const at::Tensor best = similarity.argmax(2);

  const at::Tensor mutual =
      (best.gather(1, best) == own).logical_and_(best != own).logical_and_(live);
  const at::Tensor representative = at::where(mutual, at::minimum(own, best), own);
  const at::Tensor isFirst = (representative == own).logical_and_(live);
  const at::Tensor map = (isFirst.cumsum(1) - 1).gather(1, representative);
  const at::Tensor counts = isFirst.sum(1);

  const std::int64_t longest = counts.max().item<std::int64_t>();
  // Padding goes to one row that is cut off.
  const at::Tensor place = at::where(live, map, at::full_like(map, longest));
  at::Tensor sums = at::zeros({batch, longest + 1, tokens.size(2)}, tokens.options());
  sums.scatter_add_(1, place.unsqueeze(2).expand_as(tokens), tokens);
  at::Tensor sizes = at::zeros({batch, longest + 1}, tokens.options());
  sizes.scatter_add_(1, place, at::ones({batch, count}, tokens.options()));
  return {(sums / sizes.clamp_min(1).unsqueeze(2)).slice(1, 0, longest), counts, map};
}

}  // namespace mpm::bench
