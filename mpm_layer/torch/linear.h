// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include "torch/device.h"

namespace mpm::torch_runner {

/// A linear layer on its device. In bf16 weight, bias, what goes in and what comes out are
/// bfloat16, and sums float32.
struct Linear {
  at::Tensor weight;  ///< [M, K]
  at::Tensor bias;    ///< [M], or undefined

  Linear() = default;
  Linear(const at::Tensor& weight_, const at::Tensor& bias_) : weight(weight_), bias(bias_) {}
  /// Of float32 on the host; `scale` [M], where it is defined, is multiplied in.
  Linear(const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& scale,
         Precision precision, const at::Device& device);

  /// [n, K] to [n, M].
  at::Tensor operator()(const at::Tensor& rows) const;
};

/// A LayerNorm over D features; undefined: a scale of 1, a shift of 0.
struct Norm {
  at::Tensor scale, shift;
  double eps = 1e-5;

  at::Tensor operator()(const at::Tensor& rows) const;
};

}  // namespace mpm::torch_runner
