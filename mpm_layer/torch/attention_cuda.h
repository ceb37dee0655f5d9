// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "torch/device.h"

namespace mpm::torch_runner {

/// FlashAttention for bfloat16 heads of at most 256 features, else CUTLASS's memory-efficient
/// attention, whose float32 products are made of three TF32 products; both as PyTorch ships them,
/// over images of different lengths. `logWeights` is undefined.
at::Tensor attendCuda(const AttentionCall& call);

}  // namespace mpm::torch_runner
