// SPDX-License-Identifier: Apache-2.0
// Floats as units; included once for each instruction set.
#if defined(MPM_VIT_FP32_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MPM_VIT_FP32_INL_H_
#undef MPM_VIT_FP32_INL_H_
#else
#define MPM_VIT_FP32_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "vit/exp2-inl.h"
#include "vit/kernels.h"
#include "vit/units-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

struct Fp32 {
  static constexpr std::size_t kUnitValues = 1;
  static constexpr bool kRoundsGelu = false;
  static constexpr std::size_t kPanelRows = 6;
  static constexpr bool kHasTile = false;

  static HWY_INLINE Vec multiplyAdd(Vec a, Vec b, Vec sum) { return hn::MulAdd(a, b, sum); }

  static HWY_INLINE Vec exp2(Vec x) { return exp2OfNegative(x); }  // x <= 0

  template <std::size_t C>
  static HWY_INLINE void storeRow(const Vec (&v)[C], Unit* out) {
    for (std::size_t c = 0; c < C; ++c) storeUnits(v[c], out + c * kLanes);
  }
  template <std::size_t C>
  static HWY_INLINE void storeColumns(const Vec (&v)[C], const Vec (&)[C], Unit* out) {
    storeRow(v, out);
  }

  // Stores numerator(key) per key as units down a column of logits; returns sum + all of them.
  template <class Numerator>
  static HWY_INLINE Vec storeNumerators(std::size_t keys, const Numerator& numerator, Vec sum,
                                        Unit* column) {
    for (std::size_t key = 0; key < keys; ++key) {
      const Vec p = numerator(key);
      sum = hn::Add(sum, p);
      storeUnits(p, column + key * kTileRows);
    }
    return sum;
  }

  static void toUnits(ConstRows x, float scale, Unit* out, std::size_t stride) {
    for (std::size_t r = 0; r < x.count; ++r) {
      Unit* const row = out + r * stride;
      for (std::size_t c = 0; c < x.dim; ++c) row[c].value = x.row(r)[c] * scale;
      std::fill(row + x.dim, row + padded(x.dim), Unit{});
    }
  }

  static void toFloats(const Unit* units, std::size_t count, float* out) {
    std::copy_n(asFloats(units), count, out);
  }

  static void toUnitColumns(ConstRows x, Unit* out, std::size_t stride) {
    for (std::size_t r = 0; r < x.count; ++r)
      std::copy_n(x.row(r), x.dim, asFloats(out + r * stride));
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
HWY_AFTER_NAMESPACE();

#endif  // include guard
