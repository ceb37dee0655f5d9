// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/gelu_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>
// After highway.h: it is included once for each target.
#include <hwy/contrib/math/math-inl.h>

#include <algorithm>

#include "processor/threads.h"
#include "vit/gelu_row.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, 16>;
using Vec = hn::Vec<F>;

// erfc(z) = exp(-z^2) P(t), t = 1 / (1 + 0.4 z), for z >= 0: P of degree 9 without a constant
// term, fitted for the least largest relative error, which is 1.3e-7. All terms but two are
// positive, so float32 loses little in the sum.
HWY_INLINE Vec erfcOfPositive(Vec z) {
  constexpr float kP[] = {0.0502626923340F, -0.182903591580F, 0.169088637160F,
                          -0.00561002670F,  0.141432492241F,  0.168541737690F,
                          0.207842724751F,  0.225669597222F,  0.225675861918F};
  const F d;
  const Vec one = hn::Set(d, 1.0F);
  const Vec t = hn::Div(one, hn::MulAdd(z, hn::Set(d, 0.4F), one));
  Vec p = hn::Set(d, kP[0]);
  for (std::size_t i = 1; i < 9; ++i) p = hn::MulAdd(p, t, hn::Set(d, kP[i]));
  return hn::Mul(hn::Mul(p, t), hn::Exp(d, hn::Neg(hn::Mul(z, z))));
}

// x > 0: x - x/2 erfc(|x| / sqrt 2). x < 0: x/2 erfc(|x| / sqrt 2).
HWY_INLINE Vec ofErf(Vec x) {
  const F d;
  const Vec half = hn::Mul(x, hn::Set(d, 0.5F));
  const Vec tail = hn::Mul(half, erfcOfPositive(hn::Mul(hn::Abs(x), hn::Set(d, 0.70710678F))));
  return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Sub(x, tail), tail);
}

// x / (1 + exp(-y)). Beyond 87 exp would overflow, and the quotient is 0 or x to float32.
HWY_INLINE Vec timesSigmoid(Vec x, Vec y) {
  const F d;
  const Vec bounded = hn::Max(hn::Min(hn::Neg(y), hn::Set(d, 87.0F)), hn::Set(d, -87.0F));
  return hn::Div(x, hn::Add(hn::Exp(d, bounded), hn::Set(d, 1.0F)));
}

HWY_INLINE Vec ofQuick(Vec x) { return timesSigmoid(x, hn::Mul(x, hn::Set(F(), 1.702F))); }

// (1 + tanh u) / 2 = 1 / (1 + exp(-2u))
HWY_INLINE Vec ofTanh(Vec x) {
  const F d;
  const Vec square = hn::Mul(x, x);
  const Vec factor = hn::MulAdd(square, hn::Set(d, 0.0713548163F), hn::Set(d, 1.59576912F));
  return timesSigmoid(x, hn::Mul(x, factor));
}

template <class Function>
HWY_INLINE void inPlace(float* x, std::size_t count, const Function& function) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) hn::StoreU(function(hn::LoadU(d, x + k)), d, x + k);
  if (k == count) return;
  float rest[hn::MaxLanes(d)] = {};
  std::copy(x + k, x + count, rest);
  hn::StoreU(function(hn::LoadU(d, rest)), d, rest);
  std::copy(rest, rest + (count - k), x + k);
}

void geluRow(Gelu kind, float* x, std::size_t count) {
  switch (kind) {
    case Gelu::erf:
      return inPlace(x, count, [](Vec v) HWY_ATTR { return ofErf(v); });
    case Gelu::tanh:
      return inPlace(x, count, [](Vec v) HWY_ATTR { return ofTanh(v); });
    case Gelu::quick:
      return inPlace(x, count, [](Vec v) HWY_ATTR { return ofQuick(v); });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::vit {

HWY_EXPORT(geluRow);

void geluRow(Gelu kind, float* x, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(geluRow)(kind, x, count);
}

void geluCpu(Gelu kind, Rows rows) {
  constexpr std::size_t kTaskRows = 16;
  processor::forEachTask((rows.count + kTaskRows - 1) / kTaskRows, [&](std::size_t task) {
    const std::size_t end = std::min((task + 1) * kTaskRows, rows.count);
    for (std::size_t i = task * kTaskRows; i < end; ++i) geluRow(kind, rows.row(i), rows.dim);
  });
}

}  // namespace mpm::vit
#endif  // HWY_ONCE
