// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "merge/merge_cuda.h"

/// What the operators and the runner's device share of calling the merge's kernels.
namespace mpm {

/// Throws a c10::Error.
void checkCuda(cudaError_t error);

/// `tokens`: whose last dimension is D, float32 or bfloat16.
merge::MergeSizes mergeSizes(std::int64_t batch, std::int64_t special, std::int64_t mostRows,
                             std::int64_t originals, const at::Tensor& tokens);

/// On the current stream, with scratch memory of the caching allocator.
void mergeOnStream(const merge::MergeCuda& call);

}  // namespace mpm
