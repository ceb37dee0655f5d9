// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

#include "merge/merge_cuda.h"

/// Launches kernels, locates rows and copies them.
namespace mpm::merge {

constexpr unsigned kWarp = 32;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

/// Most that a block may declare as __shared__; more has to be requested at run time.
constexpr std::size_t kSharedBytes = std::size_t{48} << 10;

/// Returns how many blocks of `each` hold `things`.
constexpr unsigned blocksFor(std::size_t things, std::size_t each) {
  return static_cast<unsigned>((things + each - 1) / each);
}

/// Runs kernel<<<grid, threads, 0, stream>>>(arguments...) in plain C++; skips an empty grid.
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

__host__ __device__ inline std::size_t rowBytes(const MergeSizes& sizes) {
  const std::size_t element = sizes.element == Element::float32 ? 4 : 2;
  return static_cast<std::size_t>(sizes.dim) * element;
}

/// Tells whether rows are whole multiples of 16 bytes, and so aligned to 16 where `data` is.
inline bool inPieces(const MergeSizes& sizes) { return rowBytes(sizes) % 16 == 0; }

/// Counts an image's rows without the special ones in front.
__device__ inline int imageRows(const MergeSizes& sizes, const DeviceRows& rows, int image) {
  const int count = rows.count[image] < sizes.mostRows ? rows.count[image] : sizes.mostRows;
  return count > sizes.special ? count - sizes.special : 0;
}

/// Returns row `row` of an image, special ones counted.
__device__ inline const char* rowOf(const MergeSizes& sizes, const DeviceRows& rows, int image,
                                    int row) {
  const auto at = static_cast<std::size_t>(rows.first[image] + row);
  return static_cast<const char*>(rows.data) + at * rowBytes(sizes);
}

/// Returns the index of image row `row` in a step's arrays.
__device__ inline std::size_t placeOf(const MergeSizes& sizes, int image, int row) {
  return static_cast<std::size_t>(image) * static_cast<std::size_t>(sizes.mostRows) +
         static_cast<std::size_t>(row);
}

__device__ inline unsigned laneOf() { return threadIdx.x % kWarp; }

/// Writes a row piece by piece with one warp: make(k) is its k-th Piece.
template <class Piece, class Make>
__device__ void writeRow(void* row, std::size_t bytes, Make make) {
  auto* pieces = static_cast<Piece*>(row);
  for (std::size_t k = laneOf(); k < bytes / sizeof(Piece); k += kWarp) pieces[k] = make(k);
}

template <class Piece>
__device__ void copyRow(const void* from, void* to, std::size_t bytes) {
  const auto* pieces = static_cast<const Piece*>(from);
  writeRow<Piece>(to, bytes, [=](std::size_t k) { return pieces[k]; });
}

template <class Piece>
__device__ void clearRow(void* row, std::size_t bytes) {
  writeRow<Piece>(row, bytes, [](std::size_t) { return Piece{}; });
}

/// Reads a bfloat16, which is the upper half of a float32.
__device__ inline float lowerBf16(std::uint32_t word) { return __uint_as_float(word << 16); }
__device__ inline float upperBf16(std::uint32_t word) {
  return __uint_as_float(word & 0xFFFF0000U);
}

}  // namespace mpm::merge
