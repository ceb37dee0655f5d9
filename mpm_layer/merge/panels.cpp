// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "merge/panels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "merge/panels.h"
#include "merge/steps.h"

#ifndef MPM_MERGE_PANELS_ONCE
#define MPM_MERGE_PANELS_ONCE
namespace mpm::merge {

// 1/|x| as a power of two, which is exact, times a factor near 1. That of a subnormal row does not
// fit a float.
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
// Transposes four rows from feature k on: out[k'][0..4) for four features.
HWY_INLINE void transposeBlock(const float* const* rows, const RowScale* scale, std::size_t k,
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

// Packs kPanelSlots rows with as many scales.
void packRows(const float* const* allRows, const RowScale* scales, std::size_t dim, float* panel) {
  for (std::size_t s = 0; s < kPanelSlots; s += 4) {
    const float* const* rows = allRows + s;
    const RowScale* scale = scales + s;
    std::size_t k = 0;
#if HWY_TARGET != HWY_SCALAR
    for (; k + 4 <= dim; k += 4) transposeBlock(rows, scale, k, panel + k * kPanelSlots + s);
#endif
    for (; k < dim; ++k) {  // two products, rounded one by one: here plain C++ cannot differ
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

HWY_EXPORT(packRows);

namespace {

// Looks up and scales the rows of a panel. Returns whether no slot is empty.
bool prepare(ConstRows tokens, const float* zeroRow, std::int32_t* slotRows, const float** rows,
             RowScale* scales) {
  bool full = true;
  for (std::size_t s = 0; s < kPanelSlots; ++s) {
    rows[s] = zeroRow;
    if (slotRows[s] != kEmptySlot) {
      const float* row = tokens.row(static_cast<std::size_t>(slotRows[s]));
      const double inverse = inverseNormCpu(row, tokens.dim);
      if (std::isnan(inverse)) {
        slotRows[s] = kEmptySlot;
      } else {
        rows[s] = row;
        scales[s] = splitScale(inverse);
      }
    }
    full = full && slotRows[s] != kEmptySlot;
  }
  return full;
}

}  // namespace

void packPanel(ConstRows tokens, const float* zeroRow, Slots& slots, std::size_t p, float* values) {
  const float* rows[kPanelSlots];
  RowScale scales[kPanelSlots];
  std::int32_t* slotRows = slots.row.data() + p * kPanelSlots;
  slots.full[p] = prepare(tokens, zeroRow, slotRows, rows, scales) ? 1 : 0;
  HWY_DYNAMIC_DISPATCH(packRows)(rows, scales, tokens.dim, values);
}

}  // namespace mpm::merge
#endif  // HWY_ONCE
