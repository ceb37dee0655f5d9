// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "segment/cell.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>
// Comes after highway.h, since it is included once for each target.
#include <hwy/contrib/math/math-inl.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "segment/cell.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::segment {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, 16>;
using Vec = hn::Vec<F>;

// Finds the classes that can be the best of a pixel, and those with exps that count.

constexpr float kNone = std::numeric_limits<float>::lowest();

// Scores of the classes from k on at each corner, NaN past the last class.
struct CornerScores {
  Vec at0, at1, at2, at3;
};

HWY_INLINE Vec loadPart(const float* values, std::size_t count) {
  const F d;
  HWY_ALIGN float part[hn::MaxLanes(F())];
  std::fill_n(part, hn::Lanes(d), std::numeric_limits<float>::quiet_NaN());
  std::copy_n(values, count, part);
  return hn::Load(d, part);
}

HWY_INLINE CornerScores load(const Cell& cell, std::size_t k) {
  const F d;
  const std::size_t left = cell.classes - k;
  if (left >= hn::Lanes(d)) {
    return {hn::LoadU(d, cell.corners[0] + k), hn::LoadU(d, cell.corners[1] + k),
            hn::LoadU(d, cell.corners[2] + k), hn::LoadU(d, cell.corners[3] + k)};
  }
  return {loadPart(cell.corners[0] + k, left), loadPart(cell.corners[1] + k, left),
          loadPart(cell.corners[2] + k, left), loadPart(cell.corners[3] + k, left)};
}

// Writes each class's largest corner to best[k], kNone if one is not finite. Returns the largest of
// the classes' smallest corners.
template <bool kPeaks>
float bound(const Cell& cell, float* HWY_RESTRICT best, float* peaks) {
  const F d;
  const Vec none = hn::Set(d, kNone), zero = hn::Zero(d);
  Vec bounds = none, peak0 = none, peak1 = none, peak2 = none, peak3 = none;
  for (std::size_t k = 0; k < cell.classes; k += hn::Lanes(d)) {
    const CornerScores c = load(cell, k);
    // Zero times anything that is not finite is NaN.
    const Vec sum = hn::Add(hn::Add(c.at0, c.at1), hn::Add(c.at2, c.at3));
    const auto finite = hn::Eq(hn::Mul(sum, zero), zero);
    const Vec least = hn::Min(hn::Min(c.at0, c.at1), hn::Min(c.at2, c.at3));
    const Vec most = hn::Max(hn::Max(c.at0, c.at1), hn::Max(c.at2, c.at3));
    bounds = hn::Max(bounds, hn::IfThenElse(finite, least, none));
    hn::StoreU(hn::IfThenElse(finite, most, none), d, best + k);
    if (kPeaks) {
      peak0 = hn::Max(peak0, hn::IfThenElse(finite, c.at0, none));
      peak1 = hn::Max(peak1, hn::IfThenElse(finite, c.at1, none));
      peak2 = hn::Max(peak2, hn::IfThenElse(finite, c.at2, none));
      peak3 = hn::Max(peak3, hn::IfThenElse(finite, c.at3, none));
    }
  }
  if (kPeaks) {
    peaks[0] = hn::GetLane(hn::MaxOfLanes(d, peak0));
    peaks[1] = hn::GetLane(hn::MaxOfLanes(d, peak1));
    peaks[2] = hn::GetLane(hn::MaxOfLanes(d, peak2));
    peaks[3] = hn::GetLane(hn::MaxOfLanes(d, peak3));
  }
  return hn::GetLane(hn::MaxOfLanes(d, bounds));
}

// Keeps the classes with a best corner of at least `least`.
void keep(const Cell& cell, const float* best, float least, ClassList& list) {
  const F d;
  const hn::Rebind<std::int32_t, F> d32;
  const Vec limit = hn::Set(d, least);
  std::size_t count = 0;
  for (std::size_t k = 0; k < cell.classes; k += hn::Lanes(d)) {
    const auto kept = hn::Ge(hn::LoadU(d, best + k), limit);
    if (hn::AllFalse(d, kept)) continue;
    const CornerScores c = load(cell, k);
    hn::StoreU(hn::Compress(c.at0, kept), d, list.corners[0] + count);
    hn::StoreU(hn::Compress(c.at1, kept), d, list.corners[1] + count);
    hn::StoreU(hn::Compress(c.at2, kept), d, list.corners[2] + count);
    hn::StoreU(hn::Compress(c.at3, kept), d, list.corners[3] + count);
    const auto classes = hn::Iota(d32, static_cast<std::int32_t>(k));
    hn::StoreU(hn::Compress(classes, hn::RebindMask(d32, kept)), d32, list.classes + count);
    count += hn::CountTrue(d, kept);
  }
  list.count = count;
}

void survive(const Cell& cell, bool wantHeavy, float* best, Survivors& survivors) {
  const float least =
      wantHeavy ? bound<true>(cell, best, survivors.peaks) : bound<false>(cell, best, nullptr);
  survivors.winners.count = survivors.heavy.count = 0;
  if (least == kNone) return;  // no class counts
  keep(cell, best, least, survivors.winners);
  if (!wantHeavy) return;
  const float depth = std::log(kLightest / static_cast<float>(cell.classes));
  keep(cell, best, least + depth, survivors.heavy);
}

// Computes labels pixel by pixel, and sums with an exp for each class and pixel.

// Writes the scores of a row as lines: left[k] + across * slope[k].
void blendCorners(const ClassList& list, float down, float* HWY_RESTRICT left,
                  float* HWY_RESTRICT slope) {
  const F d;
  const Vec weight = hn::Set(d, down);
  for (std::size_t k = 0; k < list.count; k += hn::Lanes(d)) {
    const Vec a = hn::LoadU(d, list.corners[0] + k), b = hn::LoadU(d, list.corners[1] + k);
    const Vec from = hn::MulAdd(weight, hn::Sub(hn::LoadU(d, list.corners[2] + k), a), a);
    const Vec to = hn::MulAdd(weight, hn::Sub(hn::LoadU(d, list.corners[3] + k), b), b);
    hn::StoreU(from, d, left + k);
    hn::StoreU(hn::Sub(to, from), d, slope + k);
  }
}

void labelRow(const Cell& cell, const ClassList& winners, int y, float* lines, CellRow& row) {
  const F d;
  const hn::Rebind<std::int32_t, F> d32;
  float *left = lines, *slope = lines + winners.count + kCellPadding;
  blendCorners(winners, cell.down[y], left, slope);
  for (int x = 0; x < cell.width; x += static_cast<int>(hn::Lanes(d))) {
    const Vec across = hn::LoadU(d, cell.across + x);
    Vec best = hn::MulAdd(across, hn::Set(d, slope[0]), hn::Set(d, left[0]));
    auto labels = hn::Set(d32, winners.classes[0]);
    for (std::size_t k = 1; k < winners.count; ++k) {
      const Vec score = hn::MulAdd(across, hn::Set(d, slope[k]), hn::Set(d, left[k]));
      const auto better = hn::Gt(score, best);
      best = hn::IfThenElse(better, score, best);
      labels =
          hn::IfThenElse(hn::RebindMask(d32, better), hn::Set(d32, winners.classes[k]), labels);
    }
    hn::StoreU(best, d, row.best + x);
    hn::StoreU(labels, d32, row.labels + x);
  }
}

void sumRow(const Cell& cell, const ClassList& heavy, int y, float* lines, CellRow& row) {
  const F d;
  float *left = lines, *slope = lines + heavy.count + kCellPadding;
  blendCorners(heavy, cell.down[y], left, slope);
  for (int x = 0; x < cell.width; x += static_cast<int>(hn::Lanes(d))) {
    const Vec across = hn::LoadU(d, cell.across + x), best = hn::LoadU(d, row.best + x);
    Vec sum = hn::Zero(d);
    for (std::size_t k = 0; k < heavy.count; ++k) {
      const Vec score = hn::MulAdd(across, hn::Set(d, slope[k]), hn::Set(d, left[k]));
      // Padded pixels have another cell's weights and may lie above the best.
      sum = hn::Add(sum, hn::Exp(d, hn::Min(hn::Sub(score, best), hn::Zero(d))));
    }
    hn::StoreU(sum, d, row.sums + x);
  }
}

void divideRow(const Cell& cell, const float* peaks, int y, CellRow& row, float* confidence) {
  const F d;
  float left = 0, slope = 0;
  if (peaks != nullptr) {
    left = peaks[0] + cell.down[y] * (peaks[2] - peaks[0]);
    slope = peaks[1] + cell.down[y] * (peaks[3] - peaks[1]) - left;
  }
  for (int x = 0; x < cell.width; x += static_cast<int>(hn::Lanes(d))) {
    Vec value = hn::Set(d, 1.0F);
    if (peaks != nullptr) {
      const Vec across = hn::LoadU(d, cell.across + x);
      const Vec peak = hn::MulAdd(across, hn::Set(d, slope), hn::Set(d, left));
      value = hn::Exp(d, hn::Sub(hn::LoadU(d, row.best + x), peak));
    }
    value = hn::Min(hn::Div(value, hn::LoadU(d, row.sums + x)), hn::Set(d, 1.0F));
    hn::StoreU(value, d, row.sums + x);
  }
  std::copy_n(row.sums, cell.width, confidence);
}

// Computes sums with a product for each pixel (see CellSums).

// At this depth below the peak, float32 still holds products of three factors.
constexpr float kDeepest = -40;

// Limits values and factors to those that fit in registers.
constexpr int kMostVectors = hn::MaxLanes(F()) >= 16 ? 10 : 5;

std::size_t lanes() { return hn::Lanes(F()); }

// Computes values and factors at the cell's first pixel for `lanes` classes from k on, `count` of
// which exist. Returns false if they lie too deep.
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

// Adds kVectors vectors of classes to the sums at each pixel.
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

HWY_EXPORT(survive);
HWY_EXPORT(labelRow);
HWY_EXPORT(sumRow);
HWY_EXPORT(divideRow);
HWY_EXPORT(lanes);
HWY_EXPORT(startAll);
HWY_EXPORT(nextRow);

void findSurvivors(const Cell& cell, bool wantHeavy, float* best, Survivors& survivors) {
  HWY_DYNAMIC_DISPATCH(survive)(cell, wantHeavy, best, survivors);
}

void labelCellRow(const Cell& cell, const ClassList& winners, int y, float* lines, CellRow& row) {
  HWY_DYNAMIC_DISPATCH(labelRow)(cell, winners, y, lines, row);
}

void sumCellRow(const Cell& cell, const ClassList& heavy, int y, float* lines, CellRow& row) {
  HWY_DYNAMIC_DISPATCH(sumRow)(cell, heavy, y, lines, row);
}

void confidenceOfRow(const Cell& cell, const float* peaks, int y, CellRow& row, float* confidence) {
  HWY_DYNAMIC_DISPATCH(divideRow)(cell, peaks, y, row, confidence);
}

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
