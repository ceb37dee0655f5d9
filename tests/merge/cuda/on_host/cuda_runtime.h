// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

#include "merge/cuda/on_host/block.h"

/// CUDA's words in kernels, for a host compiler. Blocks run one after the other, so what a block
/// shares is static; that it has room on a GPU is asserted beside each declaration.
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static

inline const on_host::Place& threadIdx = on_host::here.thread;
inline const on_host::Place& blockIdx = on_host::here.block;
inline const on_host::Place& blockDim = on_host::here.blockSize;
inline const on_host::Place& gridDim = on_host::here.gridSize;

using std::isfinite;  // CUDA has them without a namespace
using std::isnan;

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

struct cudaLaunchAttribute {};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  if (config->blockDim.y != 1 || config->blockDim.z != 1 || config->dynamicSmemBytes != 0 ||
      config->numAttrs != 0) {
    throw std::logic_error(
        "this launch needs what the stand-in lacks; expected blocks of one dimension, no dynamic "
        "shared memory and no attributes");
  }
  const dim3 grid = config->gridDim;
  on_host::runGrid({grid.x, grid.y, grid.z}, config->blockDim.x,
                   [&] { kernel(static_cast<Parameters>(arguments)...); });
  return cudaSuccess;
}

inline void __syncthreads() { on_host::barrier(false); }
inline int __syncthreads_or(int mine) { return on_host::barrier(mine != 0) > 0 ? 1 : 0; }
inline void __syncwarp(unsigned mask = 0xFFFFFFFFU) {
  on_host::meet(mask, "__syncwarp", nullptr, [](const on_host::Brought&) {});
}

namespace on_host {

template <class T>
struct Shuffled {
  T value, result;
  int distance;
};

template <class T, class From>
T shuffle(unsigned mask, const char* what, T value, int distance, From) {
  Shuffled<T> mine{value, value, distance};
  meet(mask, what, &mine, [](const Brought& brought) {
    for (int lane = 0; lane < static_cast<int>(kWarp); ++lane) {
      auto* to = static_cast<Shuffled<T>*>(brought[static_cast<unsigned>(lane)]);
      if (to == nullptr) continue;
      const int from = From::lane(lane, to->distance);
      if (from < 0 || from >= static_cast<int>(kWarp)) continue;  // keeps its own
      const void* source = brought[static_cast<unsigned>(from)];
      if (source != nullptr) to->result = static_cast<const Shuffled<T>*>(source)->value;
    }
  });
  return mine.result;
}

struct Across {
  static int lane(int lane, int distance) { return lane ^ distance; }
};
struct Below {
  static int lane(int lane, int distance) { return lane - distance; }
};

}  // namespace on_host

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int distance) {
  return on_host::shuffle(mask, "__shfl_xor_sync", value, distance, on_host::Across{});
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, int distance) {
  return on_host::shuffle(mask, "__shfl_up_sync", value, distance, on_host::Below{});
}

template <class T>
T atomicMax(T* at, T value) {
  return std::exchange(*at, *at < value ? value : *at);
}
template <class T>
T atomicMin(T* at, T value) {
  return std::exchange(*at, value < *at ? value : *at);
}
template <class T>
T atomicAdd(T* at, T value) {
  return std::exchange(*at, *at + value);
}

inline unsigned __float_as_uint(float value) {
  unsigned bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float __uint_as_float(unsigned bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
