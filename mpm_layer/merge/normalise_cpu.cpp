// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "merge/normalise_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cmath>
#include <limits>

#include "merge/normalise.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::merge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double sumOfSquares(const float* x, std::size_t dim) {
  const hn::ScalableTag<double> d64;
  const hn::Rebind<float, decltype(d64)> d32;
  const std::size_t lanes = hn::Lanes(d64);
  auto sum0 = hn::Zero(d64);
  auto sum1 = hn::Zero(d64);
  std::size_t k = 0;
  for (; k + 2 * lanes <= dim; k += 2 * lanes) {
    const auto a = hn::PromoteTo(d64, hn::LoadU(d32, x + k));
    const auto b = hn::PromoteTo(d64, hn::LoadU(d32, x + k + lanes));
    sum0 = hn::MulAdd(a, a, sum0);
    sum1 = hn::MulAdd(b, b, sum1);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d64, hn::Add(sum0, sum1)));
  for (; k < dim; ++k) sum += static_cast<double>(x[k]) * x[k];
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::merge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::merge {

HWY_EXPORT(sumOfSquares);

double inverseNormCpu(const float* row, std::size_t dim) {
  const double sum = HWY_DYNAMIC_DISPATCH(sumOfSquares)(row, dim);
  if (!std::isfinite(sum)) return std::numeric_limits<double>::quiet_NaN();
  return sum > 0 ? 1 / std::sqrt(sum) : 0;
}

}  // namespace mpm::merge
#endif  // HWY_ONCE
