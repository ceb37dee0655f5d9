// SPDX-License-Identifier: Apache-2.0
// Pairs of bfloat16 as units, for processors with AVX-512's bfloat16 products; included once by
// each file that uses them.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "vit/exp2-inl.h"
#include "vit/kernels.h"
#include "vit/units-inl.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

// Rounds two vectors to one of bfloat16, to nearest, ties to even: first `low`, then `high`.
HWY_INLINE __m512i toBf16(Vec low, Vec high) {
  return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high.raw, low.raw));
}

// Makes units with `first` as their first values and `second` as their second values.
HWY_INLINE Vec pairUp(Vec first, Vec second) {
  alignas(64) static constexpr std::uint16_t kOrder[32] = {
      0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
      8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const __m512i order = _mm512_load_si512(kOrder);
  return Vec{_mm512_castsi512_ps(_mm512_permutexvar_epi16(order, toBf16(first, second)))};
}

struct Bf16 {
  static constexpr std::size_t kUnitValues = 2;
  static constexpr bool kRoundsGelu = true;
  static constexpr std::size_t kPanelRows = 6;
  static constexpr bool kHasTile = false;

  static HWY_INLINE Vec multiplyAdd(Vec a, Vec b, Vec sum) {
    return Vec{_mm512_dpbf16_ps(sum.raw, reinterpret_cast<__m512bh>(a.raw),
                                reinterpret_cast<__m512bh>(b.raw))};
  }

  static HWY_INLINE Vec exp2(Vec x) { return exp2OfNegative(x); }  // x <= 0

  template <std::size_t C>
  static HWY_INLINE void storeRow(const Vec (&v)[C], Unit* out) {
    std::size_t c = 0;
    for (; c + 2 <= C; c += 2) {
      _mm512_storeu_si512(out + c * kLanes / 2, toBf16(v[c], v[c + 1]));
    }
    if (c == C) return;
    const __m512i half = toBf16(v[C - 1], hn::Zero(F()));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + c * kLanes / 2),
                        _mm512_castsi512_si256(half));
  }
  template <std::size_t C>
  static HWY_INLINE void storeColumns(const Vec (&v)[C], const Vec (&next)[C], Unit* out) {
    for (std::size_t c = 0; c < C; ++c) storeUnits(pairUp(v[c], next[c]), out + c * kLanes);
  }

  // Sums numerators before they are rounded, as everything in the softmax.
  template <class Numerator>
  static HWY_INLINE Vec storeNumerators(std::size_t keys, const Numerator& numerator, Vec sum,
                                        Unit* column) {
    std::size_t key = 0;
    for (; key + 2 <= keys; key += 2) {
      const Vec p = numerator(key), next = numerator(key + 1);
      sum = hn::Add(sum, hn::Add(p, next));
      storeUnits(pairUp(p, next), column + key / 2 * kTileRows);
    }
    if (key < keys) {
      const Vec p = numerator(key);
      sum = hn::Add(sum, p);
      storeUnits(pairUp(p, hn::Zero(F())), column + key / 2 * kTileRows);
    }
    return sum;
  }

  static void toUnits(ConstRows x, float scale, Unit* out, std::size_t stride) {
    const F d;
    const Vec scales = hn::Set(d, scale);
    for (std::size_t r = 0; r < x.count; ++r) {
      for (std::size_t c = 0; c < x.dim; c += kColumnStep) {
        alignas(64) float values[kColumnStep] = {};
        std::copy_n(x.row(r) + c, std::min(kColumnStep, x.dim - c), values);
        const Vec scaled[1] = {hn::Mul(hn::Load(d, values), scales)};
        storeRow(scaled, out + r * stride + c / 2);
      }
    }
  }

  static void toFloats(const Unit* units, std::size_t count, float* out) {
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(units + i / 2));
      _mm512_storeu_si512(out + i, _mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
    }
    for (; i < count; ++i) {
      const Unit unit = units[i / 2];
      const std::uint32_t half = i % 2 == 0 ? unit.pair.first : unit.pair.second;
      const std::uint32_t bits = half << 16;
      std::memcpy(out + i, &bits, sizeof(bits));
    }
  }

  static void toUnitColumns(ConstRows x, Unit* out, std::size_t stride) {
    for (std::size_t r = 0; r < x.count; r += 2) {
      for (std::size_t c = 0; c < x.dim; c += kColumnStep) {
        const std::size_t columns = std::min(kColumnStep, x.dim - c);
        alignas(64) float first[kColumnStep] = {}, second[kColumnStep] = {};
        alignas(64) Unit units[kColumnStep];
        std::copy_n(x.row(r) + c, columns, first);
        if (r + 1 < x.count) std::copy_n(x.row(r + 1) + c, columns, second);
        const F d;
        storeUnits(pairUp(hn::Load(d, first), hn::Load(d, second)), units);
        std::copy_n(units, columns, out + r / 2 * stride + c);
      }
    }
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();
