// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "merge/rows_cuda.h"
#include "merge/slab_cuda.h"
#include "merge/tensor_core_cuda.h"

/// Multiplies 128 rows with 128 others, slab by slab of their features. A block of 8 warps has one
/// tile: 2 warps down by 4 across, each with 64 x 32 of the products.
///
/// Tensor cores truncate when they add, which over a thousand features would cost 1e-5. So they sum
/// two steps at most; then float32 adds, which rounds. high * low and low * high are summed apart,
/// so that swapping two rows keeps their product to the bit. Equal rows thus tie anywhere.
namespace mpm::merge {

constexpr int kWarpRows = 64, kWarpColumns = 32;
constexpr int kRowBlocks = kWarpRows / 16, kColumnBlocks = kWarpColumns / 8;

/// Products of a thread: [i][j][sum of tensor_core_cuda.h] for block i, j of its warp.
struct Products {
  float of[kRowBlocks][kColumnBlocks][4] = {};
};

/// Returns where a warp's products begin.
__device__ inline int warpRow() { return static_cast<int>(threadIdx.x / kWarp) % 2 * kWarpRows; }
__device__ inline int warpColumn() {
  return static_cast<int>(threadIdx.x / kWarp) / 2 * kWarpColumns;
}

/// Words of a slab that a lane reads: of a block's columns, and of its rows.
template <Element kElement>
struct ColumnWords {
  std::uint32_t of[Slab<kElement>::kPlanes][2][2];  // plane, step, b
};
template <Element kElement>
struct RowWords {
  std::uint32_t of[Slab<kElement>::kPlanes][2][4];  // plane, step, a
};

template <Element kElement>
__device__ ColumnWords<kElement> columnWords(const Slab<kElement>& slab, int j) {
  const int at = kTile + warpColumn() + 8 * j + static_cast<int>(laneOf()) / 4;
  const int word = static_cast<int>(laneOf()) % 4;
  ColumnWords<kElement> words;
#pragma unroll
  for (int plane = 0; plane < Slab<kElement>::kPlanes; ++plane) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      words.of[plane][k / 2][k % 2] = slab.words[plane][at][word + 4 * k];
    }
  }
  return words;
}

template <Element kElement>
__device__ RowWords<kElement> rowWords(const Slab<kElement>& slab, int i) {
  const int at = warpRow() + 16 * i + static_cast<int>(laneOf()) / 4;
  const int word = static_cast<int>(laneOf()) % 4;
  RowWords<kElement> words;
#pragma unroll
  for (int plane = 0; plane < Slab<kElement>::kPlanes; ++plane) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      words.of[plane][k / 2][2 * (k % 2)] = slab.words[plane][at][word + 4 * k];
      words.of[plane][k / 2][2 * (k % 2) + 1] = slab.words[plane][at + 8][word + 4 * k];
    }
  }
  return words;
}

/// Adds the slab's share of one 16 x 8 block to `products`.
template <Element kElement>
__device__ void multiplyBlock(const RowWords<kElement>& rows, const ColumnWords<kElement>& columns,
                              float (&products)[4]) {
  if constexpr (kElement == Element::float32) {
    float sum[4] = {}, highLow[4] = {}, lowHigh[4] = {};
#pragma unroll
    for (int step = 0; step < 2; ++step) {
      multiplyTf32(highLow, rows.of[0][step], columns.of[1][step]);
      multiplyTf32(lowHigh, rows.of[1][step], columns.of[0][step]);
      multiplyTf32(sum, rows.of[0][step], columns.of[0][step]);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) products[k] += sum[k] + (highLow[k] + lowHigh[k]);
  } else {
    float sum[4] = {};
#pragma unroll
    for (int step = 0; step < 2; ++step) {
      multiplyBf16(sum, rows.of[0][step], columns.of[0][step]);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) products[k] += sum[k];
  }
}

template <Element kElement>
__device__ void multiplySlab(const Slab<kElement>& slab, Products& products) {
  ColumnWords<kElement> columns[kColumnBlocks];
#pragma unroll
  for (int j = 0; j < kColumnBlocks; ++j) columns[j] = columnWords(slab, j);
#pragma unroll
  for (int i = 0; i < kRowBlocks; ++i) {
    const RowWords<kElement> rows = rowWords(slab, i);
#pragma unroll
    for (int j = 0; j < kColumnBlocks; ++j) multiplyBlock(rows, columns[j], products.of[i][j]);
  }
}

/// Computes the products of the tile. `exponent`: of its rows, then its columns, in shared memory.
template <Element kElement>
__device__ void multiplyTile(const TileSource& source, const int* exponent, Slab<kElement>& slab,
                             Products& products) {
  constexpr int kLoads = 4;  // rows of a thread, which has the same four words of each
  const int at = static_cast<int>(threadIdx.x) / 4, word = static_cast<int>(threadIdx.x) % 4 * 4;
  const int words = kElement == Element::float32 ? source.dim : (source.dim + 1) / 2;
  uint4 pieces[kLoads];  // loaded ahead: they arrive while the tensor cores work
  const auto load = [&](int first) {
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      pieces[k] = loadPiece<kElement>(source, at + 64 * k, first + word);
    }
  };
  load(0);
  for (int first = 0; first < words; first += kSlabWords) {
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      storePiece(pieces[k], powerOfTwo(exponent[at + 64 * k]), slab, at + 64 * k, word);
    }
    __syncthreads();  // the slab is there
    if (first + kSlabWords < words) load(first + kSlabWords);
    multiplySlab(slab, products);
    __syncthreads();  // and used up
  }
}

}  // namespace mpm::merge
