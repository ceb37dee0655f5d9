// SPDX-License-Identifier: Apache-2.0
// Linear layers and logits in int8 next to float32. It is a separate file, like the one next to
// bfloat16: more code in another file makes the compiler inline less there.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/kernels_int8.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "processor/simd.h"
// Comes after highway.h: included once for each target.
#include "vit/fp32-inl.h"
#include "vit/int8_attend-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::vit {
namespace HWY_NAMESPACE {

Kernels int8KernelsBesideFp32([[maybe_unused]] bool takesVnni) {
#if MPM_VIT_VNNI
  const bool has = HWY_TARGET == HWY_AVX2 ? processor::hasAvxVnni() : processor::hasAvx512Vnni();
  if (takesVnni && has) return int8TableWithKeysOf<VnniDot, Fp32>(fp32Kernels());
#endif
  return int8TableWithKeysOf<PlainDot, Fp32>(fp32Kernels());
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::vit {

HWY_EXPORT(int8KernelsBesideFp32);

Kernels int8KernelsBesideFp32(bool takesVnni) {
  return HWY_DYNAMIC_DISPATCH(int8KernelsBesideFp32)(takesVnni);
}

}  // namespace mpm::vit
#endif  // HWY_ONCE
