// SPDX-License-Identifier: Apache-2.0
// Products in AMX's tile registers: 16 rows of 16 units by 16 rows of 16 columns of units, which is
// the layout of units anyway. For processors with them; included once.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include "vit/exp2-inl.h"
#include "vit/kernels.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t kAmxRows = 16;   // of a tile of either factor
constexpr std::size_t kAmxUnits = 16;  // of the sum, in one step
constexpr std::size_t kAmxFloats = kAmxRows * kAmxUnits;
static_assert(kLanes == kAmxUnits && kColumnStep == kAmxUnits);

// Holds the calling thread's tile registers, all 16 rows of 64 bytes, while it lives.
class AmxTiles {
 public:
  HWY_INLINE AmxTiles() {
    struct alignas(64) Palette {
      std::uint8_t palette = 1, startRow = 0, unused[14] = {};
      std::uint16_t bytes[16] = {};
      std::uint8_t rows[16] = {};
    } palette;
    std::fill_n(palette.bytes, 8, std::uint16_t{64});
    std::fill_n(palette.rows, 8, std::uint8_t{kAmxRows});
    _tile_loadconfig(&palette);
  }
  HWY_INLINE ~AmxTiles() { _tile_release(); }
  AmxTiles(const AmxTiles&) = delete;
  AmxTiles& operator=(const AmxTiles&) = delete;
};

// Keeps the compiler from moving stores past a tile's load, which it does not see as a read.
HWY_INLINE void settle() { __asm__ volatile("" ::: "memory"); }

// Rows of units, `stride` apart.
struct AmxRowsView {
  const Unit* data;
  std::size_t stride;
  std::size_t rows;

  HWY_INLINE AmxRowsView from(std::size_t row) const {
    return {data + row * stride, stride, rows - row};
  }
};

// Loads sums of R x C tiles: registers 0 to 3. The left factor has 4 and 5, the right 6 and 7.
template <std::size_t R, std::size_t C>
HWY_INLINE void amxLoadSums(const float* sums, long bytes) {
  const long down = static_cast<long>(kAmxRows) * bytes / static_cast<long>(sizeof(float));
  _tile_loadd(0, sums, bytes);
  if constexpr (C == 2) _tile_loadd(1, sums + kAmxUnits, bytes);
  if constexpr (R == 2) _tile_loadd(2, sums + down, bytes);
  if constexpr (R == 2 && C == 2) _tile_loadd(3, sums + down + kAmxUnits, bytes);
}
template <std::size_t R, std::size_t C>
HWY_INLINE void amxStoreSums(float* sums, long bytes) {
  const long down = static_cast<long>(kAmxRows) * bytes / static_cast<long>(sizeof(float));
  _tile_stored(0, sums, bytes);
  if constexpr (C == 2) _tile_stored(1, sums + kAmxUnits, bytes);
  if constexpr (R == 2) _tile_stored(2, sums + down, bytes);
  if constexpr (R == 2 && C == 2) _tile_stored(3, sums + down + kAmxUnits, bytes);
  settle();
}
template <std::size_t R, std::size_t C>
HWY_INLINE void amxClearSums() {
  _tile_zero(0);
  if constexpr (C == 2) _tile_zero(1);
  if constexpr (R == 2) _tile_zero(2);
  if constexpr (R == 2 && C == 2) _tile_zero(3);
}

// Adds 16 rows of the left factor (32 if R is 2) times 16 or 32 columns of the right one to the
// sums.
template <std::size_t R, std::size_t C>
HWY_INLINE void amxStep(const Unit* a, const Unit* nextA, long aBytes, const Unit* b,
                        const Unit* nextB, long bBytes) {
  _tile_loadd(6, b, bBytes);
  _tile_loadd(4, a, aBytes);
  _tile_dpbf16ps(0, 4, 6);
  if constexpr (R == 2) {
    _tile_loadd(5, nextA, aBytes);
    _tile_dpbf16ps(2, 5, 6);
  }
  if constexpr (C == 2) {
    _tile_loadd(7, nextB, bBytes);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (R == 2) _tile_dpbf16ps(3, 5, 7);
  }
}

// Copies up to 16 rows of up to 16 units, and fills up with zeros.
HWY_INLINE void amxCopy(const Unit* from, std::size_t stride, std::size_t rows, std::size_t units,
                        Unit* to) {
  const auto mask = static_cast<__mmask16>((1U << units) - 1);
  for (std::size_t r = 0; r < kAmxRows; ++r) {
    const __m512 row =
        r < rows ? _mm512_maskz_loadu_ps(mask, from + r * stride) : _mm512_setzero_ps();
    _mm512_store_ps(to + r * kAmxUnits, row);
  }
}

// Does the same for `units` of the sum and some rows of `a`, filled up with zeros.
template <std::size_t R, std::size_t C>
HWY_INLINE void amxPartOfStep(const AmxRowsView& a, const Unit* b, std::size_t bStride,
                              std::size_t units) {
  alignas(64) Unit room[4 * kAmxFloats];
  constexpr long kBytes = kAmxUnits * sizeof(Unit);
  amxCopy(a.data, a.stride, std::min(a.rows, kAmxRows), units, room);
  if (R == 2) {
    amxCopy(a.data + kAmxRows * a.stride, a.stride, a.rows - kAmxRows, units, room + kAmxFloats);
  }
  amxCopy(b, bStride, units, kAmxUnits, room + 2 * kAmxFloats);
  if (C == 2) amxCopy(b + kAmxUnits, bStride, units, kAmxUnits, room + 3 * kAmxFloats);
  settle();
  amxStep<R, C>(room, room + kAmxFloats, kBytes, room + 2 * kAmxFloats, room + 3 * kAmxFloats,
                kBytes);
}

// Computes sums [16 R x 16 C], `sumStride` apart, = or += a b. `a` has more than 16 (R - 1) rows of
// `units` units, b is [units x 16 C], `bStride` apart. Writes all rows of the sums.
template <std::size_t R, std::size_t C, bool kAdd>
HWY_INLINE void amxMultiply(const AmxRowsView& a, const Unit* b, std::size_t bStride,
                            std::size_t units, float* sums, std::size_t sumStride) {
  const long sumBytes = static_cast<long>(sumStride * sizeof(float));
  settle();
  if constexpr (kAdd) {
    amxLoadSums<R, C>(sums, sumBytes);
  } else {
    amxClearSums<R, C>();
  }
  std::size_t k = 0;
  if (a.rows >= R * kAmxRows) {
    const long aBytes = static_cast<long>(a.stride * sizeof(Unit));
    const long bBytes = static_cast<long>(bStride * sizeof(Unit));
    const Unit* const nextA = a.data + kAmxRows * a.stride;
    for (; k + kAmxUnits <= units; k += kAmxUnits) {
      const Unit* const right = b + k * bStride;
      amxStep<R, C>(a.data + k, nextA + k, aBytes, right, right + kAmxUnits, bBytes);
    }
  }
  for (; k < units; k += kAmxUnits) {
    amxPartOfStep<R, C>({a.data + k, a.stride, a.rows}, b + k * bStride, bStride,
                        std::min(kAmxUnits, units - k));
  }
  amxStoreSums<R, C>(sums, sumBytes);
}

// Does the same for any number of rows, and columns in multiples of 16. Writes the sums' rows up to
// a multiple of 16.
template <bool kAdd>
HWY_INLINE void amxMultiplyAll(const AmxRowsView& a, const Unit* b, std::size_t bStride,
                               std::size_t units, std::size_t columns, float* sums,
                               std::size_t sumStride) {
  for (std::size_t row = 0; row < a.rows; row += 2 * kAmxRows) {
    const AmxRowsView left = a.from(row);
    const bool two = left.rows > kAmxRows;
    float* const out = sums + row * sumStride;
    std::size_t column = 0;
    for (; column + 2 * kAmxUnits <= columns; column += 2 * kAmxUnits) {
      if (two) {
        amxMultiply<2, 2, kAdd>(left, b + column, bStride, units, out + column, sumStride);
      } else {
        amxMultiply<1, 2, kAdd>(left, b + column, bStride, units, out + column, sumStride);
      }
    }
    if (column == columns) continue;
    if (two) {
      amxMultiply<2, 1, kAdd>(left, b + column, bStride, units, out + column, sumStride);
    } else {
      amxMultiply<1, 1, kAdd>(left, b + column, bStride, units, out + column, sumStride);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();
