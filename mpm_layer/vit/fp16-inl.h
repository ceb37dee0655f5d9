// SPDX-License-Identifier: Apache-2.0
// Pairs of float16 as units, for Arm processors with half-precision arithmetic (Armv8.2); included
// once by each file that uses them. Eight products at a time are added in float16, a few dozen one
// after the other; their sums are added in float32.
#pragma once

#include <arm_neon.h>

#include <algorithm>
#include <utility>

#include "vit/exp2-inl.h"
#include "vit/kernels.h"
#include "vit/units-inl.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

static_assert(kLanes == 4);

HWY_INLINE float16x8_t halvesAt(const Unit* units) {
  return vreinterpretq_f16_f32(loadUnits(units).raw);
}
HWY_INLINE void storeHalves(float16x8_t halves, Unit* out) {
  storeUnits(Vec{vreinterpretq_f32_f16(halves)}, out);
}

// Rounds to nearest, ties to even: first `low`, then `high`.
HWY_INLINE float16x8_t toHalves(Vec low, Vec high) {
  return vcombine_f16(vcvt_f16_f32(low.raw), vcvt_f16_f32(high.raw));
}

// Makes units with `first` as their first values and `second` as their second values.
HWY_INLINE float16x8_t pairHalves(Vec first, Vec second) {
  const float16x8_t a = toHalves(first, first), b = toHalves(second, second);
  return vzip1q_f16(a, b);
}

// Returns sum + x * left[kLane]. Written in assembly, since GCC first copies a lane that is used
// twice into a vector.
template <int kLane>
HWY_INLINE float16x8_t addLane(float16x8_t sum, float16x8_t x, float16x8_t left) {
  __asm__("fmla %0.8h, %1.8h, %2.h[%3]" : "+w"(sum) : "w"(x), "x"(left), "i"(kLane));
  return sum;
}

struct Fp16 {
  static constexpr std::size_t kUnitValues = 2;
  static constexpr bool kRoundsGelu = true;
  static constexpr std::size_t kPanelRows = 8;
  static constexpr bool kHasTile = true;

  /// Limits the units in a sum of halves. Its error grows with the square root of them, to some
  /// 1e-3 of its size here, which is what rounding the factors costs as well.
  static constexpr std::size_t kUnitsOfASum = 32;

  // Adds a row's unit times those of 8 columns to sum[r][h]. Row r's unit is in left[r] at place
  // kUnit, or for columns of the left factor in left[r / 4] at place r % 4.
  template <std::size_t kUnit, bool kTransposed, std::size_t N, std::size_t H, std::size_t... r>
  static HWY_INLINE void addUnit(const float16x8_t (&left)[N], const Unit* b, std::size_t vectors,
                                 float16x8_t (&sum)[sizeof...(r)][H], std::index_sequence<r...>) {
#pragma GCC unroll 2
    for (std::size_t h = 0; h < H; ++h) {
      const float16x8_t low = halvesAt(b + 2 * h * kLanes);
      const float16x8_t high = 2 * h + 1 < vectors ? halvesAt(b + (2 * h + 1) * kLanes) : low;
      const float16x8_t first = vuzp1q_f16(low, high), second = vuzp2q_f16(low, high);
      ((sum[r][h] = addLane<2 * (kTransposed ? r % 4 : kUnit)>(sum[r][h], first,
                                                               left[kTransposed ? r / 4 : r])),
       ...);
      ((sum[r][h] = addLane<2 * (kTransposed ? r % 4 : kUnit) + 1>(sum[r][h], second,
                                                                   left[kTransposed ? r / 4 : r])),
       ...);
    }
  }

  // Adds the units [k, end) of all rows, which are rows of the left factor or columns of it.
  template <std::size_t R, std::size_t C, bool kTransposed>
  static HWY_INLINE void addUnits(const Unit* a, std::size_t aStride, const Unit* b,
                                  std::size_t bStride, std::size_t k, std::size_t end,
                                  float16x8_t (&sum)[R][(C + 1) / 2]) {
    constexpr std::make_index_sequence<R> kRows{};
    constexpr std::size_t kVectors = kTransposed ? (R + 3) / 4 : R;
    float16x8_t left[kVectors];
    for (; !kTransposed && k + 4 <= end; k += 4) {
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kVectors; ++r) left[r] = halvesAt(a + r * aStride + k);
      addUnit<0, kTransposed>(left, b + k * bStride, C, sum, kRows);
      addUnit<1, kTransposed>(left, b + (k + 1) * bStride, C, sum, kRows);
      addUnit<2, kTransposed>(left, b + (k + 2) * bStride, C, sum, kRows);
      addUnit<3, kTransposed>(left, b + (k + 3) * bStride, C, sum, kRows);
    }
    for (; k < end; ++k) {
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kVectors; ++r) {
        left[r] = kTransposed ? halvesAt(a + k * aStride + 4 * r)
                              : vreinterpretq_f16_f32(everywhere(a + r * aStride + k).raw);
      }
      addUnit<0, kTransposed>(left, b + k * bStride, C, sum, kRows);
    }
  }

  template <std::size_t R, std::size_t C, bool kTransposed, class Sink>
  static HWY_INLINE void multiplyTile(const Unit* HWY_RESTRICT a, std::size_t aStride,
                                      const Unit* HWY_RESTRICT b, std::size_t bStride,
                                      std::size_t units, const Sink& sink) {
    Vec total[R][C];
    for (auto& row : total) {
      for (Vec& columns : row) columns = hn::Zero(F());
    }
    for (std::size_t k = 0; k < units; k += kUnitsOfASum) {
      constexpr std::size_t kHalves = (C + 1) / 2;
      float16x8_t sum[R][kHalves];
#pragma GCC unroll 8
      for (std::size_t r = 0; r < R; ++r) {
#pragma GCC unroll 2
        for (std::size_t h = 0; h < kHalves; ++h) sum[r][h] = vdupq_n_f16(0);
      }
      addUnits<R, C, kTransposed>(a, aStride, b, bStride, k, std::min(k + kUnitsOfASum, units),
                                  sum);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < R; ++r) {
#pragma GCC unroll 2
        for (std::size_t h = 0; h < kHalves; ++h) {
          Vec& low = total[r][2 * h];
          low = hn::Add(low, Vec{vcvt_f32_f16(vget_low_f16(sum[r][h]))});
          if (2 * h + 1 == C) continue;
          Vec& high = total[r][2 * h + 1];
          high = hn::Add(high, Vec{vcvt_high_f32_f16(sum[r][h])});
        }
      }
    }
    sink(total);
  }

  static HWY_INLINE Vec exp2(Vec x) { return exp2OfNegative(x); }  // x <= 0

  template <std::size_t C>
  static HWY_INLINE void storeRow(const Vec (&v)[C], Unit* out) {
    std::size_t c = 0;
    for (; c + 2 <= C; c += 2) storeHalves(toHalves(v[c], v[c + 1]), out + c * kLanes / 2);
    if (c == C) return;
    vst1_f32(asFloats(out + c * kLanes / 2), vreinterpret_f32_f16(vcvt_f16_f32(v[C - 1].raw)));
  }
  template <std::size_t C>
  static HWY_INLINE void storeColumns(const Vec (&v)[C], const Vec (&next)[C], Unit* out) {
    for (std::size_t c = 0; c < C; ++c) storeHalves(pairHalves(v[c], next[c]), out + c * kLanes);
  }

  // Sums numerators before they are rounded, as everything in the softmax.
  template <class Numerator>
  static HWY_INLINE Vec storeNumerators(std::size_t keys, const Numerator& numerator, Vec sum,
                                        Unit* column) {
    for (std::size_t key = 0; key < keys; key += 2) {
      const Vec p = numerator(key), next = key + 1 < keys ? numerator(key + 1) : hn::Zero(F());
      sum = hn::Add(sum, hn::Add(p, next));
      storeHalves(pairHalves(p, next), column + key / 2 * kTileRows);
    }
    return sum;
  }

  static void toUnits(ConstRows x, float scale, Unit* out, std::size_t stride) {
    const F d;
    for (std::size_t r = 0; r < x.count; ++r) {
      for (std::size_t c = 0; c < x.dim; c += kColumnStep) {
        alignas(16) float values[kColumnStep] = {};
        std::copy_n(x.row(r) + c, std::min(kColumnStep, x.dim - c), values);
        Vec scaled[kColumnStep / kLanes];
        for (std::size_t i = 0; i < kColumnStep / kLanes; ++i)
          scaled[i] = hn::Mul(hn::Load(d, values + i * kLanes), hn::Set(d, scale));
        storeRow(scaled, out + r * stride + c / 2);
      }
    }
  }

  static void toFloats(const Unit* units, std::size_t count, float* out) {
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      const float16x4_t halves = vreinterpret_f16_f32(vld1_f32(asFloats(units + i / 2)));
      vst1q_f32(out + i, vcvt_f32_f16(halves));
    }
    for (; i < count; ++i) {
      const auto pair = vreinterpretq_f16_f32(everywhere(units + i / 2).raw);
      out[i] = vgetq_lane_f32(vcvt_f32_f16(vget_low_f16(pair)), 0);
      if (i % 2 != 0) out[i] = vgetq_lane_f32(vcvt_f32_f16(vget_low_f16(pair)), 1);
    }
  }

  static void toUnitColumns(ConstRows x, Unit* out, std::size_t stride) {
    const F d;
    for (std::size_t r = 0; r < x.count; r += 2) {
      for (std::size_t c = 0; c < x.dim; c += kLanes) {
        const std::size_t columns = std::min(kLanes, x.dim - c);
        alignas(16) float first[kLanes] = {}, second[kLanes] = {};
        alignas(16) Unit units[kLanes];
        std::copy_n(x.row(r) + c, columns, first);
        if (r + 1 < x.count) std::copy_n(x.row(r + 1) + c, columns, second);
        storeHalves(pairHalves(hn::Load(d, first), hn::Load(d, second)), units);
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
