// SPDX-License-Identifier: Apache-2.0
// Units in vectors; included once for each instruction set.
#if defined(MPM_VIT_UNITS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MPM_VIT_UNITS_INL_H_
#undef MPM_VIT_UNITS_INL_H_
#else
#define MPM_VIT_UNITS_INL_H_
#endif

#include <hwy/highway.h>

#include "vit/exp2-inl.h"
#include "vit/kernels.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE Vec loadUnits(const Unit* units) { return hn::LoadU(F(), asFloats(units)); }
HWY_INLINE void storeUnits(Vec units, Unit* out) { hn::StoreU(units, F(), asFloats(out)); }
HWY_INLINE Vec everywhere(const Unit* unit) { return hn::Set(F(), unit->value); }

// Sets out[k * outStride + r] = rows[r * stride + k] for 4 rows and 4 units.
HWY_INLINE void transposeFour(const Unit* rows, std::size_t stride, Unit* out,
                              std::size_t outStride) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t r = 0; r < 4; ++r) out[k * outStride + r] = rows[r * stride + k];
  }
#else
  const hn::Full128<float> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto load = [&](std::size_t r)
                        MPM_VIT_ATTR { return hn::LoadU(d, asFloats(rows + r * stride)); };
  const auto r0 = load(0), r1 = load(1), r2 = load(2), r3 = load(3);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  const auto store = [&](std::size_t k, auto v) MPM_VIT_ATTR {
    hn::StoreU(hn::BitCast(d, v), d, asFloats(out + k * outStride));
  };
  store(0, hn::InterleaveLower(pairs, low01, low23));
  store(1, hn::InterleaveUpper(pairs, low01, low23));
  store(2, hn::InterleaveLower(pairs, high01, high23));
  store(3, hn::InterleaveUpper(pairs, high01, high23));
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

#endif  // include guard
