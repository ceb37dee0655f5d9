// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/row_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cmath>

#include "vit/row_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double sumOfSquares(const float* x, std::size_t dim) {
  const hn::ScalableTag<double> d64;
  const hn::Rebind<float, decltype(d64)> d32;
  auto sums = hn::Zero(d64);
  std::size_t k = 0;
  for (; k + hn::Lanes(d64) <= dim; k += hn::Lanes(d64)) {
    const auto a = hn::PromoteTo(d64, hn::LoadU(d32, x + k));
    sums = hn::MulAdd(a, a, sums);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d64, sums));
  for (; k < dim; ++k) sum += static_cast<double>(x[k]) * x[k];
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::vit {

HWY_EXPORT(sumOfSquares);

void makeUnit(float* x, std::size_t dim) {
  const double norm = std::sqrt(HWY_DYNAMIC_DISPATCH(sumOfSquares)(x, dim));
  if (norm == 0) return;
  for (std::size_t k = 0; k < dim; ++k) x[k] = static_cast<float>(x[k] / norm);
}

}  // namespace mpm::vit
#endif  // HWY_ONCE
