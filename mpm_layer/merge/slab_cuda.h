// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "merge/rows_cuda.h"
#include "merge/tensor_core_cuda.h"

/// Moves some features of a tile's rows from memory to shared memory, as tensor cores want them.
///
/// Rows are scaled by a power of two as they are read, so that their norm is in (1, 2]. That is
/// exact, and no product that matters overflows or vanishes. The caller multiplies the sums with
/// the rest of 1 / |row|.
///
/// A float32 becomes high + low of 11 bits each, which leaves 2^-22 of it. The product low * low,
/// 2^-22 of the whole, is left out. A bfloat16 is multiplied as it is.
namespace mpm::merge {

constexpr int kTile = 128;
constexpr unsigned kTileThreads = 256;
constexpr int kSlabWords = 16;               ///< of 32 bits; two steps of the tensor cores
constexpr int kSlabStride = kSlabWords + 4;  ///< a fragment's 32 words lie in 32 banks

/// A slab of the tile's rows, then of its columns, which are rows too.
template <Element kElement>
struct Slab {
  static constexpr int kPlanes = kElement == Element::float32 ? 2 : 1;  // high, low
  alignas(16) std::uint32_t words[kPlanes][2 * kTile][kSlabStride];
};

/// Says where a tile's rows are.
struct TileSource {
  const char* image;  ///< its first image row
  int rows;           ///< of the image
  int firstRow, firstColumn;
  int dim;
  bool pieces;  ///< rows may be read 16 bytes at a time
};

template <Element kElement>
__device__ std::uint32_t wordOf(const char* row, int dim, int word) {
  if constexpr (kElement == Element::float32) {
    return word < dim ? reinterpret_cast<const std::uint32_t*>(row)[word] : 0;
  } else {
    const auto* elements = reinterpret_cast<const std::uint16_t*>(row);
    const std::uint32_t low = 2 * word < dim ? elements[2 * word] : 0;
    const std::uint32_t high = 2 * word + 1 < dim ? elements[2 * word + 1] : 0;
    return low | high << 16;
  }
}

/// Returns words `word` to word + 3 of a row; zeros past its end and for rows that do not exist.
template <Element kElement>
__device__ uint4 loadPiece(const TileSource& source, int at, int word) {
  const int row = at < kTile ? source.firstRow + at : source.firstColumn + at - kTile;
  const int elements = kElement == Element::float32 ? 1 : 2;  // of a word
  if (row >= source.rows || word * elements >= source.dim) return make_uint4(0, 0, 0, 0);
  const std::size_t bytes = static_cast<std::size_t>(source.dim) * (4 / elements);
  const char* data = source.image + static_cast<std::size_t>(row) * bytes;
  if (source.pieces) return reinterpret_cast<const uint4*>(data)[word / 4];
  return make_uint4(
      wordOf<kElement>(data, source.dim, word), wordOf<kElement>(data, source.dim, word + 1),
      wordOf<kElement>(data, source.dim, word + 2), wordOf<kElement>(data, source.dim, word + 3));
}

/// 2^exponent in two factors: the smallest float32 rows need more than one float can hold.
struct PowerOfTwo {
  float half, rest;
};

__device__ inline PowerOfTwo powerOfTwo(int exponent) {
  const int half = exponent >> 1;
  return {__uint_as_float(static_cast<std::uint32_t>(half + 127) << 23),
          __uint_as_float(static_cast<std::uint32_t>(exponent - half + 127) << 23)};
}

__device__ inline void splitWord(std::uint32_t word, PowerOfTwo scale, std::uint32_t& high,
                                 std::uint32_t& low) {
  const float x = __uint_as_float(word) * scale.half * scale.rest;
  const float rounded = roundToTf32(x);
  high = __float_as_uint(rounded);
  low = __float_as_uint(roundToTf32(x - rounded));
}

__device__ inline std::uint32_t scaleWord(std::uint32_t word, PowerOfTwo scale) {
  const float low = lowerBf16(word) * scale.half * scale.rest;
  const float high = upperBf16(word) * scale.half * scale.rest;
  return __float_as_uint(low) >> 16 | (__float_as_uint(high) & 0xFFFF0000U);
}

template <Element kElement>
__device__ void storePiece(uint4 in, PowerOfTwo scale, Slab<kElement>& slab, int at, int word) {
  uint4 high;
  if constexpr (kElement == Element::float32) {
    uint4 low;
    splitWord(in.x, scale, high.x, low.x);
    splitWord(in.y, scale, high.y, low.y);
    splitWord(in.z, scale, high.z, low.z);
    splitWord(in.w, scale, high.w, low.w);
    *reinterpret_cast<uint4*>(&slab.words[1][at][word]) = low;
  } else {
    high = make_uint4(scaleWord(in.x, scale), scaleWord(in.y, scale), scaleWord(in.z, scale),
                      scaleWord(in.w, scale));
  }
  *reinterpret_cast<uint4*>(&slab.words[0][at][word]) = high;
}

}  // namespace mpm::merge
