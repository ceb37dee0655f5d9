// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "segment/cell_sums.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>
// After highway.h: it is included once for each target.
#include <hwy/contrib/math/math-inl.h>

#include <algorithm>

#include "segment/cell.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::segment {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, 16>;
using Vec = hn::Vec<F>;

// So deep below the peak float32 still holds products of three factors.
constexpr float kDeepest = -40;

// As many values and factors as stay in registers.
constexpr int kMostVectors = hn::MaxLanes(F()) >= 16 ? 10 : 5;

std::size_t lanes() { return hn::Lanes(F()); }

// Values and factors at the cell's first pixel of `lanes` classes from k on; false where they lie
// too deep. `count`: classes of them that there are.
HWY_INLINE bool startVector(const Cell& cell, const Survivors& survivors, std::size_t k,
                            float* const factors[4]) {
  const F d;
  const auto corner = [&](int c) {
    return hn::Sub(hn::LoadU(d, survivors.heavy.corners[c] + k), hn::Set(d, survivors.peaks[c]));
  };
  const auto there = hn::FirstN(d, survivors.heavy.count - k);
  const Vec c0 = corner(0), c1 = corner(1), c2 = corner(2), c3 = corner(3);
  const Vec least = hn::IfThenElseZero(there, hn::Min(hn::Min(c0, c1), hn::Min(c2, c3)));
  if (!hn::AllTrue(d, hn::Ge(least, hn::Set(d, kDeepest)))) return false;

  const Vec across = hn::Set(d, cell.across[0]), down = hn::Set(d, cell.down[0]);
  const Vec stepAcross = hn::Set(d, cell.stepAcross), stepDown = hn::Set(d, cell.stepDown);
  const Vec above = hn::MulAdd(across, hn::Sub(c1, c0), c0);
  const Vec below = hn::MulAdd(across, hn::Sub(c3, c2), c2);
  const Vec twist = hn::Sub(hn::Sub(c3, c2), hn::Sub(c1, c0));
  const Vec slope = hn::MulAdd(down, twist, hn::Sub(c1, c0));
  const Vec fall = hn::Sub(below, above);
  const auto store = [&](const Vec& exponent, int i) {
    hn::StoreU(hn::IfThenElseZero(there, hn::Exp(d, exponent)), d, factors[i] + k);
  };
  store(hn::MulAdd(down, fall, above), 0);
  store(hn::Mul(stepAcross, slope), 1);
  store(hn::Mul(stepDown, fall), 2);
  store(hn::Mul(hn::Mul(stepAcross, stepDown), twist), 3);
  return true;
}

bool startAll(const Cell& cell, const Survivors& survivors, float* const factors[4]) {
  for (std::size_t k = 0; k < survivors.heavy.count; k += lanes()) {
    if (!startVector(cell, survivors, k, factors)) return false;
  }
  return true;
}

// sums += of kVectors vectors of classes at each pixel.
template <int kVectors>
void addPixels(const float* values, const float* factors, int width, float* HWY_RESTRICT sums) {
  const F d;
  Vec value[kVectors], factor[kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kVectors; ++i) {
    value[i] = hn::LoadU(d, values + i * hn::Lanes(d));
    factor[i] = hn::LoadU(d, factors + i * hn::Lanes(d));
  }
  for (int x = 0; x < width; ++x) {
    Vec sum[2] = {value[0], hn::Zero(d)};
#pragma GCC unroll 16
    for (int i = 1; i < kVectors; ++i) sum[i % 2] = hn::Add(sum[i % 2], value[i]);
#pragma GCC unroll 16
    for (int i = 0; i < kVectors; ++i) value[i] = hn::Mul(value[i], factor[i]);
    sums[x] += hn::GetLane(hn::SumOfLanes(d, hn::Add(sum[0], sum[1])));
  }
}

template <int kVectors>
void addVectors(std::size_t vectors, const float* values, const float* factors, int width,
                float* sums) {
  if constexpr (kVectors > 1) {
    if (vectors < kVectors) {
      return addVectors<kVectors - 1>(vectors, values, factors, width, sums);
    }
  }
  addPixels<kVectors>(values, factors, width, sums);
}

void nextRow(std::size_t count, int width, float* const factors[4], float* sums) {
  const F d;
  std::fill_n(sums, width, 0.0F);
  for (std::size_t k = 0; k < count; k += kMostVectors * lanes()) {
    const std::size_t vectors = std::min<std::size_t>((count - k) / lanes(), kMostVectors);
    addVectors<kMostVectors>(vectors, factors[0] + k, factors[1] + k, width, sums);
  }
  for (std::size_t k = 0; k < count; k += lanes()) {
    const Vec value = hn::LoadU(d, factors[0] + k), factor = hn::LoadU(d, factors[1] + k);
    hn::StoreU(hn::Mul(value, hn::LoadU(d, factors[2] + k)), d, factors[0] + k);
    hn::StoreU(hn::Mul(factor, hn::LoadU(d, factors[3] + k)), d, factors[1] + k);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::segment
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::segment {

HWY_EXPORT(lanes);
HWY_EXPORT(startAll);
HWY_EXPORT(nextRow);

bool CellSums::start(const Cell& cell, const Survivors& survivors) {
  const std::size_t lanes = HWY_DYNAMIC_DISPATCH(lanes)();
  count_ = (survivors.heavy.count + lanes - 1) / lanes * lanes;
  float* memory = factors_.reserve(4 * count_);
  float* const factors[4] = {memory, memory + count_, memory + 2 * count_, memory + 3 * count_};
  return HWY_DYNAMIC_DISPATCH(startAll)(cell, survivors, factors);
}

void CellSums::next(const Cell& cell, CellRow& row) {
  float* memory = factors_.reserve(4 * count_);
  float* const factors[4] = {memory, memory + count_, memory + 2 * count_, memory + 3 * count_};
  HWY_DYNAMIC_DISPATCH(nextRow)(count_, cell.width, factors, row.sums);
}

}  // namespace mpm::segment
#endif  // HWY_ONCE
