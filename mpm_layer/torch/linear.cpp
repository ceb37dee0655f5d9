// SPDX-License-Identifier: Apache-2.0
#include "torch/linear.h"

#include <ATen/ATen.h>
#include <c10/util/Optional.h>

namespace mpm::torch_runner {
namespace {

c10::optional<at::Tensor> given(const at::Tensor& tensor) {
  return tensor.defined() ? c10::optional<at::Tensor>(tensor) : c10::optional<at::Tensor>();
}

}  // namespace

Linear::Linear(const at::Tensor& weight_, const at::Tensor& bias_, const at::Tensor& scale,
               Precision precision, const at::Device& device) {
  const auto type = precision == Precision::bf16 ? at::kBFloat16 : at::kFloat;
  const bool scales = scale.defined();
  weight = (scales ? weight_ * scale.unsqueeze(1) : weight_).to(device, type);
  if (bias_.defined()) bias = (scales ? bias_ * scale : bias_).to(device, type);
}

at::Tensor Linear::operator()(const at::Tensor& rows) const {
  return at::linear(rows.to(weight.scalar_type()), weight, given(bias));
}

at::Tensor Norm::operator()(const at::Tensor& rows) const {
  return at::layer_norm(rows, {rows.size(-1)}, given(scale), given(shift), eps);
}

}  // namespace mpm::torch_runner
