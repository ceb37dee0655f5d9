// SPDX-License-Identifier: Apache-2.0
// Vectors of floats and a power of two; included once for each instruction set.
#if defined(MPM_VIT_EXP2_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MPM_VIT_EXP2_INL_H_
#undef MPM_VIT_EXP2_INL_H_
#else
#define MPM_VIT_EXP2_INL_H_
#endif

#include <hwy/highway.h>

// A file for processors with more than Highway's instruction sets defines MPM_VIT_FEATURES, such as
// ",avx512bf16", before it includes anything of vit. MPM_VIT_TARGET names all features instead.
#ifndef MPM_VIT_PUSH_ATTRIBUTES
#if !defined(MPM_VIT_FEATURES) && !defined(MPM_VIT_TARGET)
#define MPM_VIT_PUSH_ATTRIBUTES() static_assert(true, "")
#define MPM_VIT_POP_ATTRIBUTES() static_assert(true, "")
#define MPM_VIT_ATTR HWY_ATTR  // of lambdas
#else
#ifndef MPM_VIT_TARGET
#define MPM_VIT_TARGET HWY_TARGET_STR MPM_VIT_FEATURES
#endif
// Stands next to HWY_BEFORE_NAMESPACE, not in one macro with it: GCC 14 loses pragmas then.
#if HWY_COMPILER_CLANG  // of two, one inside the other, it heeds the outer
#define MPM_VIT_PUSH_ATTRIBUTES() \
  HWY_POP_ATTRIBUTES HWY_PUSH_ATTRIBUTES(MPM_VIT_TARGET) static_assert(true, "")
#define MPM_VIT_POP_ATTRIBUTES() static_assert(true, "")
#else
#define MPM_VIT_PUSH_ATTRIBUTES() HWY_PUSH_ATTRIBUTES(MPM_VIT_TARGET) static_assert(true, "")
#define MPM_VIT_POP_ATTRIBUTES() HWY_POP_ATTRIBUTES static_assert(true, "")
#endif
#define MPM_VIT_ATTR __attribute__((target(MPM_VIT_TARGET)))
#endif
#endif

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
// Local to this translation unit: two of them may compile the file for different processors.
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, 16>;
using Vec = hn::Vec<F>;
constexpr std::size_t kLanes = hn::MaxLanes(F());
constexpr float kLog2E = 1.44269504088896F;

// Returns 2^x for x <= 0 within 2e-7. It is 0 below -126.5, with AVX-512 below -126, since many
// denormal numbers would be slow; and 0 for -infinity. NaN stays.
HWY_INLINE Vec exp2OfNegative(Vec x) {
  const F d;
#if HWY_TARGET <= HWY_AVX3
  const Vec whole = hn::Round(x);
  const Vec f = hn::Sub(x, whole);
#else
  const Vec least = hn::Set(d, -127.0F);  // whose power is 0
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
  const Vec within = hn::Max(least, x);   // the second one if either is NaN
#else
  const Vec within = hn::IfThenElse(hn::Lt(x, least), least, x);
#endif
  // Adding this leaves the nearest integer, plus a float's bias, in the lowest bits.
  const Vec large = hn::Set(d, 0x1.8p23F + 127);
  const Vec rounded = hn::Add(within, large);
  const Vec f = hn::Sub(within, hn::Sub(rounded, large));
#endif
  // Minimises the largest relative error on [-1/2, 1/2], 8e-8.
  Vec p = hn::Set(d, 0.001327647151F);
  p = hn::MulAdd(p, f, hn::Set(d, 0.009675541331F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.05550713275F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.2402211972F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.6931469671F));
  p = hn::MulAdd(p, f, hn::Set(d, 1.0F));
#if HWY_TARGET <= HWY_AVX3
  const __mmask16 stays = _mm512_cmp_ps_mask(x.raw, _mm512_set1_ps(-126.0F), _CMP_NLT_UQ);
  return Vec{_mm512_maskz_scalef_ps(stays, p.raw, whole.raw)};
#else
  const hn::RebindToSigned<F> bits;
  return hn::Mul(p, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(bits, rounded))));
#endif
}

#if HWY_TARGET <= HWY_AVX3
// Returns 2^x within 8e-5, for values that are then rounded to bfloat16, by up to 2e-3. Below -126
// it is denormal, which that rounding turns into 0.
HWY_INLINE Vec roughExp2OfNegative(Vec x) {
  const F d;
  constexpr int kFromFloor = 9;  // x - floor(x), and no exception; of -infinity 0
  const Vec f{_mm512_reduce_ps(x.raw, kFromFloor)};
  // Minimises the largest relative error on [0, 1].
  Vec p = hn::Set(d, 0.07802452269F);
  p = hn::MulAdd(p, f, hn::Set(d, 0.2260671554F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.6958335405F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.9999252186F));
  return Vec{_mm512_scalef_ps(p.raw, x.raw)};  // times 2^floor(x)
}
#endif

// Returns 1 / x within a rounding or two, for x >= 1.
HWY_INLINE Vec reciprocal(Vec x) {
  const F d;
  const Vec two = hn::Set(d, 2.0F);
  Vec y = hn::ApproximateReciprocal(x);
#if HWY_TARGET <= HWY_AVX3  // 14 bits; 8 to 12 elsewhere
  constexpr int kSteps = 1;
#else
  constexpr int kSteps = 2;
#endif
  for (int step = 0; step < kSteps; ++step) y = hn::Mul(y, hn::NegMulAdd(x, y, two));
  return y;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

#endif  // include guard
