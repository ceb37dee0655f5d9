// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "segment/cell_survivors.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

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
constexpr float kNone = std::numeric_limits<float>::lowest();

// The scores of the classes from k on at each corner; behind the last class NaN.
struct Corners {
  Vec at0, at1, at2, at3;
};

HWY_INLINE Vec loadPart(const float* values, std::size_t count) {
  const F d;
  HWY_ALIGN float part[hn::MaxLanes(F())];
  std::fill_n(part, hn::Lanes(d), std::numeric_limits<float>::quiet_NaN());
  std::copy_n(values, count, part);
  return hn::Load(d, part);
}

HWY_INLINE Corners load(const Cell& cell, std::size_t k) {
  const F d;
  const std::size_t left = cell.classes - k;
  if (left >= hn::Lanes(d)) {
    return {hn::LoadU(d, cell.corners[0] + k), hn::LoadU(d, cell.corners[1] + k),
            hn::LoadU(d, cell.corners[2] + k), hn::LoadU(d, cell.corners[3] + k)};
  }
  return {loadPart(cell.corners[0] + k, left), loadPart(cell.corners[1] + k, left),
          loadPart(cell.corners[2] + k, left), loadPart(cell.corners[3] + k, left)};
}

// best[k]: the class's largest corner, kNone where one is not finite. Returns the largest of the
// classes' smallest corners.
template <bool kPeaks>
float bound(const Cell& cell, float* HWY_RESTRICT best, float* peaks) {
  const F d;
  const Vec none = hn::Set(d, kNone), zero = hn::Zero(d);
  Vec bounds = none, peak0 = none, peak1 = none, peak2 = none, peak3 = none;
  for (std::size_t k = 0; k < cell.classes; k += hn::Lanes(d)) {
    const Corners c = load(cell, k);
    // Zero times anything but a number is NaN.
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

// The classes whose best corner is at least `least`.
void keep(const Cell& cell, const float* best, float least, ClassList& list) {
  const F d;
  const hn::Rebind<std::int32_t, F> d32;
  const Vec limit = hn::Set(d, least);
  std::size_t count = 0;
  for (std::size_t k = 0; k < cell.classes; k += hn::Lanes(d)) {
    const auto kept = hn::Ge(hn::LoadU(d, best + k), limit);
    if (hn::AllFalse(d, kept)) continue;
    const Corners c = load(cell, k);
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

}  // namespace HWY_NAMESPACE
}  // namespace mpm::segment
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::segment {

HWY_EXPORT(survive);

void findSurvivors(const Cell& cell, bool wantHeavy, float* best, Survivors& survivors) {
  HWY_DYNAMIC_DISPATCH(survive)(cell, wantHeavy, best, survivors);
}

}  // namespace mpm::segment
#endif  // HWY_ONCE
