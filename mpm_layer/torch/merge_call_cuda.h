// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>

#include <cstdint>

#include "merge/merge_cuda.h"

/// Calls of the merge's kernels, for the operators and the runner's device.
namespace mpm {

/// Throws a c10::Error.
inline void checkCuda(cudaError_t error) { C10_CUDA_CHECK(error); }

/// `tokens`: float32 or bfloat16, with D as last dimension.
inline merge::MergeSizes mergeSizes(std::int64_t batch, std::int64_t special, std::int64_t mostRows,
                                    std::int64_t originals, const at::Tensor& tokens) {
  merge::MergeSizes sizes;
  sizes.batch = static_cast<int>(batch);
  sizes.special = static_cast<int>(special);
  sizes.mostRows = static_cast<int>(mostRows);
  sizes.originals = static_cast<int>(originals);
  sizes.dim = static_cast<int>(tokens.size(-1));
  sizes.element =
      tokens.scalar_type() == at::kBFloat16 ? merge::Element::bfloat16 : merge::Element::float32;
  return sizes;
}

/// Runs on the current stream, with scratch memory of the caching allocator.
inline void mergeOnStream(const merge::MergeCuda& call) {
  const auto bytes = static_cast<std::int64_t>(merge::mergeCudaScratch(call.sizes));
  const at::Tensor scratch = at::empty({bytes}, at::TensorOptions(at::kCUDA).dtype(at::kByte));
  checkCuda(merge::mergeCuda(call, scratch.data_ptr(), at::cuda::getCurrentCUDAStream()));
}

}  // namespace mpm
