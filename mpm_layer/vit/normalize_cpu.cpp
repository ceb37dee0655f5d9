// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/normalize_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "processor/threads.h"
#include "vit/normalize.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::ScalableTag<double>;
using D32 = hn::Rebind<float, D64>;

double sum(const float* x, std::size_t dim) {
  const D64 d64;
  auto sums = hn::Zero(d64);
  std::size_t k = 0;
  for (; k + hn::Lanes(d64) <= dim; k += hn::Lanes(d64)) {
    sums = hn::Add(sums, hn::PromoteTo(d64, hn::LoadU(D32(), x + k)));
  }
  double total = hn::GetLane(hn::SumOfLanes(d64, sums));
  for (; k < dim; ++k) total += x[k];
  return total;
}

double squaredDistances(const float* x, double mean, std::size_t dim) {
  const D64 d64;
  const auto means = hn::Set(d64, mean);
  auto sums = hn::Zero(d64);
  std::size_t k = 0;
  for (; k + hn::Lanes(d64) <= dim; k += hn::Lanes(d64)) {
    const auto apart = hn::Sub(hn::PromoteTo(d64, hn::LoadU(D32(), x + k)), means);
    sums = hn::MulAdd(apart, apart, sums);
  }
  double total = hn::GetLane(hn::SumOfLanes(d64, sums));
  for (; k < dim; ++k) total += (x[k] - mean) * (x[k] - mean);
  return total;
}

void normalizeRow(const float* x, std::size_t dim, const NormWeights& weights, float* out) {
  const D64 d64;
  const D32 d32;
  const double mean = sum(x, dim) / static_cast<double>(dim);
  const double variance = squaredDistances(x, mean, dim) / static_cast<double>(dim);
  const double inverse = 1 / std::sqrt(variance + weights.eps);
  const auto means = hn::Set(d64, mean), inverses = hn::Set(d64, inverse);
  std::size_t k = 0;
  for (; k + hn::Lanes(d64) <= dim; k += hn::Lanes(d64)) {
    const auto apart = hn::Sub(hn::PromoteTo(d64, hn::LoadU(d32, x + k)), means);
    auto y = hn::DemoteTo(d32, hn::Mul(apart, inverses));
    if (weights.scale != nullptr) y = hn::Mul(y, hn::LoadU(d32, weights.scale + k));
    if (weights.shift != nullptr) y = hn::Add(y, hn::LoadU(d32, weights.shift + k));
    hn::StoreU(y, d32, out + k);
  }
  for (; k < dim; ++k) {
    auto y = static_cast<float>((x[k] - mean) * inverse);
    if (weights.scale != nullptr) y *= weights.scale[k];
    if (weights.shift != nullptr) y += weights.shift[k];
    out[k] = y;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::vit {

HWY_EXPORT(normalizeRow);

OwnedNorm::OwnedNorm(const NormWeights& weights, std::size_t dim) : eps(weights.eps) {
  if (weights.scale != nullptr) scale.assign(weights.scale, weights.scale + dim);
  if (weights.shift != nullptr) shift.assign(weights.shift, weights.shift + dim);
}

void normalizeRows(ConstRows in, const NormWeights& weights, Rows out) {
  assert(in.count == out.count && in.dim == out.dim);
  const auto normalizeRow = HWY_DYNAMIC_DISPATCH(normalizeRow);
  for (std::size_t i = 0; i < in.count; ++i) {
    normalizeRow(in.row(i), in.dim, weights, out.row(i));
  }
}

void normalizeCpu(ConstRows in, const NormWeights& weights, Rows out) {
  constexpr std::size_t kTaskRows = 64;
  processor::forEachTask((in.count + kTaskRows - 1) / kTaskRows, [&](std::size_t task) {
    const std::size_t first = task * kTaskRows, count = std::min(kTaskRows, in.count - first);
    normalizeRows({in.row(first), count, in.dim, in.stride}, weights,
                  {out.row(first), count, out.dim, out.stride});
  });
}

}  // namespace mpm::vit
#endif  // HWY_ONCE
