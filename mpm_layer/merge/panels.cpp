// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "merge/panels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "merge/panels.h"
#include "processor/threads.h"

#ifndef MPM_MERGE_PANELS_ONCE
#define MPM_MERGE_PANELS_ONCE
namespace mpm::merge {

// 1/|x| of a subnormal row does not fit a float, so it is applied as a power of two, which is
// exact, and a factor near 1.
struct RowScale {
  float power = 0;
  float factor = 0;
};

inline RowScale splitScale(double inverse) {
  if (inverse == 0) return {};
  int exponent = 0;
  const double factor = std::frexp(inverse, &exponent);
  const int power = std::clamp(exponent, -126, 126);  // the factor has room for the rest
  return {std::ldexp(1.0F, power), static_cast<float>(std::ldexp(factor, exponent - power))};
}

}  // namespace mpm::merge
#endif  // MPM_MERGE_PANELS_ONCE

HWY_BEFORE_NAMESPACE();
namespace mpm::merge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// Four rows from feature k on, transposed: out[k'][0..4) for four features.
HWY_INLINE void transposeBlock(const float* const rows[4], const RowScale scale[4], std::size_t k,
                               float* out) {
  const hn::Full128<float> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto load = [&](int r) {
    return hn::Mul(hn::Mul(hn::LoadU(d, rows[r] + k), hn::Set(d, scale[r].power)),
                   hn::Set(d, scale[r].factor));
  };
  const auto r0 = load(0), r1 = load(1), r2 = load(2), r3 = load(3);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, out);
  hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, out + kPanelSlots);
  hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, out + 2 * kPanelSlots);
  hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, out + 3 * kPanelSlots);
}
#endif  // HWY_TARGET != HWY_SCALAR

void packPanel(ConstRows tokens, const double* inverse, const std::int32_t* slotRows,
               float* panel) {
  for (std::size_t s = 0; s < kPanelSlots; s += 4) {
    const float* rows[4];
    RowScale scale[4];
    for (int r = 0; r < 4; ++r) {
      const std::int32_t row = slotRows[s + r];
      // An empty slot reads the panel's first row, which exists and is finite, times zero.
      rows[r] = tokens.row(static_cast<std::size_t>(row == kEmptySlot ? slotRows[0] : row));
      if (row != kEmptySlot) scale[r] = splitScale(inverse[row]);
    }
    std::size_t k = 0;
#if HWY_TARGET != HWY_SCALAR
    for (; k + 4 <= tokens.dim; k += 4) transposeBlock(rows, scale, k, panel + k * kPanelSlots + s);
#endif
    for (; k < tokens.dim; ++k) {
      for (int r = 0; r < 4; ++r) {
        panel[k * kPanelSlots + s + r] = rows[r][k] * scale[r].power * scale[r].factor;
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::merge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::merge {

HWY_EXPORT(packPanel);

void packPanels(ConstRows tokens, const double* inverse, const Slots& slots, std::size_t first,
                std::size_t last, float* panels) {
  const auto pack = HWY_DYNAMIC_DISPATCH(packPanel);
  processor::forEachTask(last - first, [&](std::size_t i) {
    pack(tokens, inverse, slots.row.data() + (first + i) * kPanelSlots,
         panels + i * tokens.dim * kPanelSlots);
  });
}

}  // namespace mpm::merge
#endif  // HWY_ONCE
