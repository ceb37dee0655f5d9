// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/softmax.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>
// After highway.h: it is included once for each target.
#include <hwy/contrib/math/math-inl.h>

#include <algorithm>
#include <limits>

#include "vit/softmax.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, 16>;
using Vec = hn::Vec<F>;
constexpr float kNone = -std::numeric_limits<float>::infinity();

// x = scale x + weights; returns the largest that is not NaN.
float scaleAndFindLargest(float* x, std::size_t count, float scale, const float* weights) {
  const F d;
  const Vec scales = hn::Set(d, scale);
  Vec largest = hn::Set(d, kNone);
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= count; k += hn::Lanes(d)) {
    Vec y = hn::Mul(hn::LoadU(d, x + k), scales);
    if (weights != nullptr) y = hn::Add(y, hn::LoadU(d, weights + k));
    largest = hn::IfThenElse(hn::Gt(y, largest), y, largest);
    hn::StoreU(y, d, x + k);
  }
  float found = hn::GetLane(hn::MaxOfLanes(d, largest));
  for (; k < count; ++k) {
    x[k] = x[k] * scale + (weights != nullptr ? weights[k] : 0);
    if (x[k] > found) found = x[k];
  }
  return found;
}

// Beside a sum of at least 1, exp below -87 is nothing; as denormal numbers it would slow the
// product with the values down a hundredfold. NaN, which no comparison holds for, stays.
HWY_INLINE Vec expOrNan(Vec x) {
  const F d;
  const Vec y = hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.0F)), hn::Exp(d, x));
  return hn::IfThenElse(hn::Eq(x, x), y, x);
}

float softmaxNumerators(float* x, std::size_t count, float scale, const float* weights) {
  const F d;
  float largest = scaleAndFindLargest(x, count, scale, weights);
  if (largest == kNone) largest = 0;  // every exp is 0, or NaN
  const Vec largests = hn::Set(d, largest);
  const std::size_t lanes = hn::Lanes(d);
  Vec sums = hn::Zero(d);
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const Vec y = expOrNan(hn::Sub(hn::LoadU(d, x + k), largests));
    sums = hn::Add(sums, y);
    hn::StoreU(y, d, x + k);
  }
  if (k < count) {
    float rest[hn::MaxLanes(d)];
    std::fill_n(rest, lanes, kNone);
    std::copy(x + k, x + count, rest);
    const Vec y = expOrNan(hn::Sub(hn::LoadU(d, rest), largests));
    sums = hn::Add(sums, y);
    hn::StoreU(y, d, rest);
    std::copy(rest, rest + (count - k), x + k);
  }
  return hn::GetLane(hn::SumOfLanes(d, sums));
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::vit {

HWY_EXPORT(softmaxNumerators);

float softmaxNumerators(float* x, std::size_t count, float scale, const float* weights) {
  return HWY_DYNAMIC_DISPATCH(softmaxNumerators)(x, count, scale, weights);
}

}  // namespace mpm::vit
#endif  // HWY_ONCE
