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

void addTo(float* HWY_RESTRICT x, const float* HWY_RESTRICT y, std::size_t dim) {
  const hn::ScalableTag<float> d;
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= dim; k += hn::Lanes(d)) {
    hn::StoreU(hn::Add(hn::LoadU(d, x + k), hn::LoadU(d, y + k)), d, x + k);
  }
  for (; k < dim; ++k) x[k] += y[k];
}

void addScaledTo(float* HWY_RESTRICT x, const float* HWY_RESTRICT y,
                 const float* HWY_RESTRICT scale, std::size_t dim) {
  const hn::ScalableTag<float> d;
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= dim; k += hn::Lanes(d)) {
    const auto product = hn::Mul(hn::LoadU(d, scale + k), hn::LoadU(d, y + k));
    hn::StoreU(hn::Add(hn::LoadU(d, x + k), product), d, x + k);
  }
  for (; k < dim; ++k) x[k] += scale[k] * y[k];
}

void scaleBy(float* x, float factor, std::size_t dim) {
  const hn::ScalableTag<float> d;
  const auto factors = hn::Set(d, factor);
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= dim; k += hn::Lanes(d)) {
    hn::StoreU(hn::Mul(hn::LoadU(d, x + k), factors), d, x + k);
  }
  for (; k < dim; ++k) x[k] *= factor;
}

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

HWY_EXPORT(addTo);
HWY_EXPORT(addScaledTo);
HWY_EXPORT(scaleBy);
HWY_EXPORT(sumOfSquares);

void addTo(float* x, const float* y, std::size_t dim) { HWY_DYNAMIC_DISPATCH(addTo)(x, y, dim); }

void addScaledTo(float* x, const float* y, const float* scale, std::size_t dim) {
  HWY_DYNAMIC_DISPATCH(addScaledTo)(x, y, scale, dim);
}

void scaleBy(float* x, float factor, std::size_t dim) {
  HWY_DYNAMIC_DISPATCH(scaleBy)(x, factor, dim);
}

void makeUnit(float* x, std::size_t dim) {
  const double norm = std::sqrt(HWY_DYNAMIC_DISPATCH(sumOfSquares)(x, dim));
  if (norm == 0) return;
  for (std::size_t k = 0; k < dim; ++k) x[k] = static_cast<float>(x[k] / norm);
}

}  // namespace mpm::vit
#endif  // HWY_ONCE
