// SPDX-License-Identifier: Apache-2.0
#include "torch/attention_cuda.h"

#include <ATen/ops/_efficient_attention_forward.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <torch/version.h>

#include <tuple>

#if TORCH_VERSION_MAJOR < 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 4)
#error "the runner for GPUs needs PyTorch 2.4 or newer"
#endif

// What both operators take up to here has not changed from PyTorch 2.4 to 2.12; later arguments
// have, and keep their defaults.

namespace mpm::torch_runner {
namespace {

constexpr std::int64_t kMostFlashFeatures = 256;
constexpr std::int64_t kNoMask = 0;

at::Tensor flash(const AttentionCall& call) {
  const at::Tensor& first = call.layout.first;
  const std::int64_t most = call.layout.most;
  return std::get<0>(at::_flash_attention_forward(call.q, call.k, call.v, first, first, most, most,
                                                  /*dropout_p=*/0, /*is_causal=*/false,
                                                  /*return_debug_mask=*/false, call.scale));
}

at::Tensor efficient(const AttentionCall& call) {
  const at::Tensor& first = call.layout.first;
  const std::int64_t most = call.layout.most;
  const at::Tensor out = std::get<0>(at::_efficient_attention_forward(
      call.q.unsqueeze(0), call.k.unsqueeze(0), call.v.unsqueeze(0), /*bias=*/{}, first, first,
      most, most, /*dropout_p=*/0, kNoMask, /*compute_log_sumexp=*/false, call.scale));
  return out.squeeze(0);
}

}  // namespace

at::Tensor attendCuda(const AttentionCall& call) {
  const bool isFlash =
      call.q.scalar_type() == at::kBFloat16 && call.q.size(2) <= kMostFlashFeatures;
  return isFlash ? flash(call) : efficient(call);
}

}  // namespace mpm::torch_runner
