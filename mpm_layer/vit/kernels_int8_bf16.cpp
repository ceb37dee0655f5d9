// SPDX-License-Identifier: Apache-2.0
// Linear layers and logits in int8 next to bfloat16. Next to AMX's attention only linear layers are
// int8, since AMX multiplies bfloat16 faster than anything else multiplies int8.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/kernels_int8_bf16.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#if HWY_ARCH_X86 && HWY_TARGET == HWY_AVX3
#define MPM_VIT_FEATURES ",avx512bf16"
// Comes after what they depend on.
#include "vit/bf16-inl.h"
#include "vit/int8_attend-inl.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

// Uses rough numerators: int8 logits do not merit exact ones before they are rounded.
struct Bf16OfRoughNumerators : Bf16 {
  static HWY_INLINE Vec exp2(Vec x) { return roughExp2OfNegative(x); }
};

Kernels table(const Kernels& beside) {
  return beside.turnsKeys ? int8TableOf<VnniDot, Bf16>(beside)
                          : int8TableWithKeysOf<VnniDot, Bf16, Bf16OfRoughNumerators>(beside);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

namespace mpm::vit {

Kernels int8KernelsOfAvx512(const Kernels& beside) { return HWY_NAMESPACE::table(beside); }

}  // namespace mpm::vit
#endif  // HWY_TARGET == HWY_AVX3

#if HWY_ONCE
#include "vit/kernels.h"

namespace mpm::vit {

#if HWY_ARCH_X86 && (HWY_TARGETS & HWY_AVX3)
Kernels int8KernelsOfAvx512(const Kernels& beside);

Kernels int8KernelsBesideBf16(const Kernels& beside) { return int8KernelsOfAvx512(beside); }
#else
Kernels int8KernelsBesideBf16(const Kernels& beside) { return beside; }  // never: there is no bf16
#endif

}  // namespace mpm::vit
#endif  // HWY_ONCE
