// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/ATen.h>
#include <c10/util/Optional.h>

#include <cstdint>
#include <optional>
#include <string>

#include "contract/gelu.h"
#include "torch/device.h"
#include "torch/layer.h"
#include "torch/ragged.h"

/// The parts of a block: linear layers, norms and attention.
namespace mpm::torch_runner {

inline c10::optional<at::Tensor> whereDefined(const at::Tensor& tensor) {
  return tensor.defined() ? c10::optional<at::Tensor>(tensor) : c10::optional<at::Tensor>();
}

/// A linear layer on its device. In bf16 weight, bias, inputs and results are bfloat16, and sums
/// float32.
struct Linear {
  at::Tensor weight;  ///< [M, K]
  at::Tensor bias;    ///< [M], or undefined

  Linear() = default;
  Linear(const at::Tensor& weight_, const at::Tensor& bias_) : weight(weight_), bias(bias_) {}
  /// Takes float32 on the host; multiplies by `scale` [M] if it is defined.
  Linear(const at::Tensor& weight_, const at::Tensor& bias_, const at::Tensor& scale,
         Precision precision, const at::Device& device) {
    const auto type = precision == Precision::bf16 ? at::kBFloat16 : at::kFloat;
    const bool scales = scale.defined();
    weight = (scales ? weight_ * scale.unsqueeze(1) : weight_).to(device, type);
    if (bias_.defined()) bias = (scales ? bias_ * scale : bias_).to(device, type);
  }

  /// Maps [n, K] to [n, M].
  at::Tensor operator()(const at::Tensor& rows) const {
    return at::linear(rows.to(weight.scalar_type()), weight, whereDefined(bias));
  }
};

/// Returns the attribute `gelu` of a layer, or `otherwise`; std::nullopt if that is empty.
inline std::optional<Gelu> geluOf(const Settings& settings, const std::string& otherwise) {
  const std::string gelu = settings.word("gelu", otherwise);
  const std::optional<Gelu> kind = geluNamed(gelu);
  if (!kind && !gelu.empty())
    settings.identity.refuse("gelu = " + gelu + "; expected erf, tanh or quick");
  return kind;
}

/// Works in place if it can.
inline at::Tensor gelu(Gelu kind, at::Tensor hidden) {
  if (kind == Gelu::quick) return hidden.mul_(at::sigmoid(hidden * 1.702));
  return at::gelu_(hidden, kind == Gelu::tanh ? "tanh" : "none");
}

/// A LayerNorm over D features, or an RMSNorm; undefined: a scale of 1, a shift of 0.
struct Norm {
  at::Tensor scale, shift;
  double eps = 1e-5;
  bool isCentred = true;

  at::Tensor operator()(const at::Tensor& rows) const {
    if (!isCentred) {
      at::Tensor out = rows * (rows.square().mean(-1, /*keepdim=*/true) + eps).rsqrt();
      if (scale.defined()) out.mul_(scale);
      return shift.defined() ? out.add_(shift) : out;
    }
    return at::layer_norm(rows, {rows.size(-1)}, whereDefined(scale), whereDefined(shift), eps);
  }
};

// Layout of a block's heads for a device's attention. Its kernels do not support weights of keys,
// so these become two more features. They also need heads of a multiple of 8 features.
// docs/algorithm.md explains why the result is the same.

struct Heads {
  std::int64_t count = 1;
  std::int64_t features = 0;  ///< of a head, as the model has them
  std::int64_t padded = 0;    ///< of a head in q, k and v; behind the model's: zeros
  bool foldsWeights = false;  ///< but for two features of q, which are 1, and of k: the weight's

  /// Uses as few features as `device` takes.
  Heads(std::int64_t count, std::int64_t features, bool weighted, const Device& device);
};

/// Pad the linear layers around attention for `heads`, from the model's [3A, D] and [D, A]. Values
/// stay the same at shifted places; products with the padding are zero.
Linear padQkv(const Linear& qkv, const Heads& heads);
Linear padProjection(const Linear& projection, const Heads& heads);

/// Returns the features of k that make keys count, [rows, 1, 2], for weights w = exp(logWeights).
/// The first is logWeights / scale, rounded to `type`, and the second the rest.
at::Tensor weightFeatures(const at::Tensor& logWeights, double scale, at::ScalarType type);

/// Returns the weights of `layout`'s keys, made once for each map. Rows outside all images have 1.
const KeyWeights& keyWeightsOf(const Layout& layout, const at::Tensor& map, std::int64_t special,
                               const Device& device);

/// Maps qkv [rows, 3 heads padded] to [rows, heads padded]: softmax over the keys of an image of
/// (scale q kT + log weights). `weights`: null, or of a `layout`.
at::Tensor attend(const at::Tensor& qkv, const Heads& heads, double scale, const Layout& layout,
                  const KeyWeights* weights, const Device& device);

}  // namespace mpm::torch_runner
