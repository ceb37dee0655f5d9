// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "merge/steps_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "merge/steps.h"
#include "processor/pool.h"

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
  // The square of a float is exact in double, so plain C++ gives the same result.
  for (; k < dim; ++k) sum += static_cast<double>(x[k]) * x[k];
  return sum;
}

// Half of a subnormal number may be rounded, but the same way anywhere in a row.
template <class D>
HWY_INLINE void storeMean(D d, const float* a, const float* b, float* mean) {
  const auto half = hn::Set(d, 0.5F);
  const auto x = hn::Mul(half, hn::LoadU(d, a));
  hn::StoreU(hn::MulAdd(half, hn::LoadU(d, b), x), d, mean);
}

void meanOfTwo(const float* a, const float* b, std::size_t dim, float* mean) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= dim; k += hn::Lanes(d)) storeMean(d, a + k, b + k, mean + k);
  for (; k < dim; ++k) storeMean(one, a + k, b + k, mean + k);
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::merge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::merge {

HWY_EXPORT(sumOfSquares);
HWY_EXPORT(meanOfTwo);

double inverseNormCpu(const float* row, std::size_t dim) {
  const double sum = HWY_DYNAMIC_DISPATCH(sumOfSquares)(row, dim);
  if (!std::isfinite(sum)) return std::numeric_limits<double>::quiet_NaN();
  return sum > 0 ? 1 / std::sqrt(sum) : 0;
}

void averageCpu(ConstRows tokens, const Cluster* clusters, std::size_t count, Rows merged) {
  const auto mean = HWY_DYNAMIC_DISPATCH(meanOfTwo);
  const std::size_t bytes = tokens.dim * sizeof(float);
  processor::forEachRowRange(count, bytes, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const float* first = tokens.row(clusters[c].first);
      if (clusters[c].second == kAlone) {
        std::memcpy(merged.row(c), first, bytes);
      } else {
        mean(first, tokens.row(clusters[c].second), tokens.dim, merged.row(c));
      }
    }
  });
}

void restoreCpu(ConstRows live, const std::int32_t* map, Rows full) {
  const std::size_t bytes = full.dim * sizeof(float);
  processor::forEachRowRange(full.count, bytes, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) std::memcpy(full.row(i), live.row(map[i]), bytes);
  });
}

}  // namespace mpm::merge
#endif  // HWY_ONCE
