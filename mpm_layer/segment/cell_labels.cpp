// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "segment/cell_labels.cpp"
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

// left[k] and slope[k]: the scores of a row as lines, left + across * slope.
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
      // Padded pixels, whose weights are another cell's, may lie above the best.
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

}  // namespace HWY_NAMESPACE
}  // namespace mpm::segment
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::segment {

HWY_EXPORT(labelRow);
HWY_EXPORT(sumRow);
HWY_EXPORT(divideRow);

void labelCellRow(const Cell& cell, const ClassList& winners, int y, float* lines, CellRow& row) {
  HWY_DYNAMIC_DISPATCH(labelRow)(cell, winners, y, lines, row);
}

void sumCellRow(const Cell& cell, const ClassList& heavy, int y, float* lines, CellRow& row) {
  HWY_DYNAMIC_DISPATCH(sumRow)(cell, heavy, y, lines, row);
}

void confidenceOfRow(const Cell& cell, const float* peaks, int y, CellRow& row, float* confidence) {
  HWY_DYNAMIC_DISPATCH(divideRow)(cell, peaks, y, row, confidence);
}

}  // namespace mpm::segment
#endif  // HWY_ONCE
