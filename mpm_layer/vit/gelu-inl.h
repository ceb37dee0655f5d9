// SPDX-License-Identifier: Apache-2.0
// GELU of a vector; included once for each instruction set.
#if defined(MPM_VIT_GELU_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MPM_VIT_GELU_INL_H_
#undef MPM_VIT_GELU_INL_H_
#else
#define MPM_VIT_GELU_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "contract/gelu.h"
#include "vit/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

// Evaluates a polynomial of (x / limit)^2, scaled to [-1, 1], with coefficients `q` from the
// highest on.
template <std::size_t N>
HWY_INLINE Vec polynomialOf(const float (&q)[N], Vec x, float limit) {
  const F d;
  const Vec t = hn::MulAdd(hn::Mul(x, x), hn::Set(d, 2 / (limit * limit)), hn::Set(d, -1.0F));
  Vec sum = hn::Set(d, q[0]);
#pragma GCC unroll 16
  for (std::size_t i = 1; i < N; ++i) sum = hn::MulAdd(sum, t, hn::Set(d, q[i]));
  return sum;
}

// Computes x (1/2 + x Q(x^2)) for |x| <= 5, and 0 or x beyond. Q has degree 12 in x^2 scaled to
// [-1, 1]; the fit minimises the largest error of x Q, 1.6e-7. No power, no division.
HWY_INLINE Vec ofErf(Vec x) {
  constexpr float kLimit = 5;
  constexpr float kQ[] = {0.000608728528F, -0.00161326566F, 0.00172279611F, -0.00268557381F,
                          0.00641051371F,  -0.0111643404F,  0.016402173F,   -0.0232686523F,
                          0.0314421726F,   -0.0404426074F,  0.0515205223F,  -0.0702962806F,
                          0.141363788F};
  const F d;
  // Minimum and maximum return the second operand on x86 if either is NaN.
  const Vec within = hn::Min(hn::Set(d, kLimit), hn::Max(hn::Set(d, -kLimit), x));
  const Vec q = polynomialOf(kQ, within, kLimit);
  const Vec y = hn::Mul(x, hn::MulAdd(x, q, hn::Set(d, 0.5F)));
  const Vec above = hn::IfThenElse(hn::Gt(x, hn::Set(d, kLimit)), x, y);
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -kLimit)), above);
}

// Computes the same within 5e-5, which is bfloat16's error at 0.02. Beyond the limit it is a
// straight line.
HWY_INLINE Vec ofErfNearly(Vec x) {
  constexpr float kLimit = 4.25F;
  constexpr float kQ[] = {0.0021078214F, -0.00605007308F, 0.00906357355F,
                          -0.014584546F, 0.025410315F,    -0.0391775519F,
                          0.0557187162F, -0.0807764456F,  0.165935248F};
  const F d;
  const Vec within = hn::Min(hn::Set(d, kLimit), hn::Max(hn::Set(d, -kLimit), x));
  const Vec q = polynomialOf(kQ, within, kLimit);
  const Vec beyond = hn::Max(hn::Sub(x, within), hn::Zero(d));
  return hn::MulAdd(within, hn::MulAdd(within, q, hn::Set(d, 0.5F)), beyond);
}

// Computes x / (1 + 2^-y) from the side where the power is at most 1.
HWY_INLINE Vec timesSigmoid(Vec x, Vec y) {
  const F d;
  const Vec one = hn::Set(d, 1.0F);
  const Vec power = exp2OfNegative(hn::Neg(hn::Abs(y)));
  const Vec numerator = hn::IfThenElse(hn::Lt(y, hn::Zero(d)), hn::Mul(x, power), x);
  return hn::Mul(numerator, reciprocal(hn::Add(power, one)));
}

HWY_INLINE Vec ofQuick(Vec x) { return timesSigmoid(x, hn::Mul(x, hn::Set(F(), 1.702F * kLog2E))); }

// Uses (1 + tanh u) / 2 = 1 / (1 + exp(-2u)).
HWY_INLINE Vec ofTanh(Vec x) {
  const F d;
  const Vec square = hn::Mul(x, x);
  const Vec factor =
      hn::MulAdd(square, hn::Set(d, 0.0713548163F * kLog2E), hn::Set(d, 1.59576912F * kLog2E));
  return timesSigmoid(x, hn::Mul(x, factor));
}

// Set `kNearly` for results that are rounded to bfloat16 or int8.
template <Gelu kind, bool kNearly = false>
HWY_INLINE Vec geluOf(Vec x) {
  if constexpr (kind == Gelu::erf) return kNearly ? ofErfNearly(x) : ofErf(x);
  if constexpr (kind == Gelu::tanh) return ofTanh(x);
  if constexpr (kind == Gelu::quick) return ofQuick(x);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

#endif  // include guard
