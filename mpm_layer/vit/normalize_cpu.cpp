// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/normalize_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "processor/pool.h"
#include "vit/normalize.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using One = hn::CappedTag<double, 1>;

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const float* x) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), x));
}

double sum(const float* x, std::size_t dim) {
  const Doubles d;
  auto sums = hn::Zero(d);
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= dim; k += hn::Lanes(d)) sums = hn::Add(sums, load(d, x + k));
  double total = hn::GetLane(hn::SumOfLanes(d, sums));
  for (; k < dim; ++k) total += x[k];  // nothing but additions: here plain C++ cannot differ
  return total;
}

template <class D>
HWY_INLINE hn::Vec<D> addSquare(D d, const float* x, double mean, hn::Vec<D> sum) {
  const auto apart = hn::Sub(load(d, x), hn::Set(d, mean));
  return hn::MulAdd(apart, apart, sum);
}

// Sums the squared distances from `mean`.
double sumOfSquares(const float* x, double mean, std::size_t dim) {
  const Doubles d;
  const One one;
  auto sums = hn::Zero(d);
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= dim; k += hn::Lanes(d)) sums = addSquare(d, x + k, mean, sums);
  auto total = hn::Set(one, hn::GetLane(hn::SumOfLanes(d, sums)));
  for (; k < dim; ++k) total = addSquare(one, x + k, mean, total);
  return hn::GetLane(total);
}

struct Standard {
  double mean, inverse;  // of the deviation
};

// Normalises values [k, k + lanes) of a row.
template <class D>
HWY_INLINE void normalizeAt(D d, const float* x, std::size_t k, const Standard& standard,
                            const NormWeights& weights, float* out) {
  const hn::Rebind<float, D> floats;
  const auto apart = hn::Sub(load(d, x + k), hn::Set(d, standard.mean));
  auto y = hn::DemoteTo(floats, hn::Mul(apart, hn::Set(d, standard.inverse)));
  if (weights.scale != nullptr) y = hn::Mul(y, hn::LoadU(floats, weights.scale + k));
  if (weights.shift != nullptr) y = hn::Add(y, hn::LoadU(floats, weights.shift + k));
  hn::StoreU(y, floats, out + k);
}

void normalizeRow(const float* x, std::size_t dim, const NormWeights& weights, float* out) {
  const Doubles d;
  const double mean = weights.isCentred ? sum(x, dim) / static_cast<double>(dim) : 0;
  const double variance = sumOfSquares(x, mean, dim) / static_cast<double>(dim);
  const Standard standard{mean, 1 / std::sqrt(variance + weights.eps)};
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= dim; k += hn::Lanes(d)) {
    normalizeAt(d, x, k, standard, weights, out);
  }
  for (; k < dim; ++k) normalizeAt(One(), x, k, standard, weights, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::vit {

HWY_EXPORT(normalizeRow);
HWY_EXPORT(sumOfSquares);

OwnedNorm::OwnedNorm(const NormWeights& weights, std::size_t dim)
    : eps(weights.eps), isCentred(weights.isCentred) {
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

void makeUnit(float* x, std::size_t dim) {
  const double norm = std::sqrt(HWY_DYNAMIC_DISPATCH(sumOfSquares)(x, 0, dim));
  if (norm == 0) return;
  for (std::size_t k = 0; k < dim; ++k) x[k] = static_cast<float>(x[k] / norm);
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
