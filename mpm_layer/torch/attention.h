// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "torch/device.h"
#include "torch/linear.h"
#include "torch/ragged.h"

/// How a block's heads are laid out for a device's attention. Its kernels know no weights of keys,
/// so these become two more features; and they want heads of a multiple of 8 features.
/// docs/algorithm.md says why this is the same.
namespace mpm::torch_runner {

struct Heads {
  std::int64_t count = 1;
  std::int64_t features = 0;  ///< of a head, as the model has them
  std::int64_t padded = 0;    ///< of a head in q, k and v; behind the model's: zeros
  bool foldsWeights = false;  ///< but for two features of q, which are 1, and of k: the weight's

  /// With as few features as `device` takes.
  Heads(std::int64_t count, std::int64_t features, bool weighted, const Device& device);
};

/// Both linear layers around attention, made for `heads` of the model's [3A, D] and [D, A]. Their
/// values are the same, some places further; products with the padding are zero.
Linear padQkv(const Linear& qkv, const Heads& heads);
Linear padProjection(const Linear& projection, const Heads& heads);

/// The features of k that make keys count: with a weight of w = exp(logWeights), the first is
/// logWeights / scale, rounded to `type`, and the second what that lost. [rows, 1, 2].
at::Tensor weightFeatures(const at::Tensor& logWeights, double scale, at::ScalarType type);

/// The weights of `layout`'s keys, made at the first call for a map. Rows of no image have 1.
const KeyWeights& keyWeightsOf(const Layout& layout, const at::Tensor& map, std::int64_t special,
                               const Device& device);

/// attention(qkv): qkv [rows, 3 heads padded] to [rows, heads padded], softmax over the keys of an
/// image of (scale q kT + log weights). `weights`: null, or of a `layout`.
at::Tensor attend(const at::Tensor& qkv, const Heads& heads, double scale, const Layout& layout,
                  const KeyWeights* weights, const Device& device);

}  // namespace mpm::torch_runner
