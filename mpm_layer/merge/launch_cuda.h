// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace mpm::merge {

constexpr unsigned kWarp = 32;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

/// What a block may declare as __shared__; more would have to be asked for at run time.
constexpr std::size_t kSharedBytes = std::size_t{48} << 10;

/// Blocks of `each` that hold `things`.
constexpr unsigned blocksFor(std::size_t things, std::size_t each) {
  return static_cast<unsigned>((things + each - 1) / each);
}

/// kernel<<<grid, threads, 0, stream>>>(arguments...) in plain C++; nothing for an empty grid.
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, unsigned threads, cudaStream_t stream,
                   const Arguments&... arguments) {
  if (grid.x == 0 || grid.y == 0) return cudaSuccess;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = dim3(threads);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

}  // namespace mpm::merge
