// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "segment/corner_mean.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "segment/corners.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::segment {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Tag>
void addOne(Tag d, const float* const corners[4], const float weights[4], bool isFirst,
            std::size_t k, float* HWY_RESTRICT mean) {
  auto sum = isFirst ? hn::Zero(d) : hn::LoadU(d, mean + k);
  for (int c = 0; c < 4; ++c) {
    sum = hn::MulAdd(hn::Set(d, weights[c]), hn::LoadU(d, corners[c] + k), sum);
  }
  hn::StoreU(sum, d, mean + k);
}

void addPoint(const float* const corners[4], float across, float down, float share, bool isFirst,
              std::size_t classes, float* HWY_RESTRICT mean) {
  const hn::ScalableTag<float> d;
  const float below = down * share, above = share - below;
  const float weights[4] = {above * (1 - across), above * across, below * (1 - across),
                            below * across};
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= classes; k += hn::Lanes(d)) {
    addOne(d, corners, weights, isFirst, k, mean);
  }
  // What is left is rounded as the rest is: a class's mean does not depend on its number.
  const hn::CappedTag<float, 1> one;
  for (; k < classes; ++k) addOne(one, corners, weights, isFirst, k, mean);
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::segment
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::segment {

HWY_EXPORT(addPoint);

void addBetween(const float* const corners[4], float across, float down, float share, bool isFirst,
                std::size_t classes, float* mean) {
  HWY_DYNAMIC_DISPATCH(addPoint)(corners, across, down, share, isFirst, classes, mean);
}

}  // namespace mpm::segment
#endif  // HWY_ONCE
