// SPDX-License-Identifier: Apache-2.0
// Steps of a convolution before and after its products; included once for each instruction set.
#if defined(MPM_VIT_CONVOLVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MPM_VIT_CONVOLVE_INL_H_
#undef MPM_VIT_CONVOLVE_INL_H_
#else
#define MPM_VIT_CONVOLVE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

using Distance = std::ptrdiff_t;

HWY_INLINE void copyFloats(const float* HWY_RESTRICT from, Distance count, float* HWY_RESTRICT to) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<Distance>(hn::Lanes(d));
  for (; count >= lanes; count -= lanes, from += lanes, to += lanes) {
    hn::StoreU(hn::LoadU(d, from), d, to);
  }
  for (; count > 0; --count) *to++ = *from++;
}

HWY_INLINE void clearFloats(Distance count, float* to) {
  for (; count > 0; --count) *to++ = 0;
}

// Gathers floats `first` + i * stride of a row of `length`, i in [0, count); zeros past its ends.
HWY_INLINE void gatherStretch(const float* HWY_RESTRICT row, Distance length, Distance first,
                              Distance stride, Distance count, float* HWY_RESTRICT to) {
  const auto inFrontOf = [&](Distance place) {  // how many are
    return std::clamp<Distance>((place - first + stride - 1) / stride, 0, count);
  };
  const Distance begin = first >= 0 ? 0 : inFrontOf(0);
  const bool endsInside = first + (count - 1) * stride < length;
  const Distance end = endsInside ? count : std::max(begin, inFrontOf(length));
  clearFloats(begin, to);
  if (stride == 1) {
    copyFloats(row + first + begin, end - begin, to + begin);
  } else {
    for (Distance i = begin; i < end; ++i) to[i] = row[first + i * stride];
  }
  clearFloats(count - end, to + end);
}

template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V finishSum(D d, V sum, V bias, bool isRelu) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V value = hn::Add(sum, bias);
  // NaN stays NaN.
  return isRelu ? hn::IfThenElse(hn::Lt(value, hn::Zero(d)), hn::Zero(d), value) : value;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
HWY_AFTER_NAMESPACE();

#endif  // include guard
