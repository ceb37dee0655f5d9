// SPDX-License-Identifier: Apache-2.0
// Highway has no instruction set with bfloat16 products, so AVX3 is compiled for processors that
// also have them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/kernels_bf16.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#if HWY_ARCH_X86 && HWY_TARGET == HWY_AVX3
#define MPM_VIT_FEATURES ",avx512bf16"
// Comes after what they depend on.
#include "vit/attend-inl.h"
#include "vit/bf16-inl.h"
#include "vit/product-inl.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

Kernels table() { return tableOf<Bf16>(multiply<Bf16>, attend<Bf16>); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

namespace mpm::vit {

Kernels bf16KernelsOfAvx512() { return HWY_NAMESPACE::table(); }

}  // namespace mpm::vit
#endif  // HWY_TARGET == HWY_AVX3

#if HWY_ONCE
#include <stdexcept>

#include "processor/simd.h"
#include "vit/kernels.h"

namespace mpm::vit {

#if HWY_ARCH_X86 && (HWY_TARGETS & HWY_AVX3)
Kernels bf16KernelsOfAvx512();

bool hasBf16Kernels() {
  return __builtin_cpu_supports("avx512bf16") != 0 &&
         processor::hasAvx512Vnni();  // which int8 takes, and all of them have
}
Kernels bf16Kernels() { return bf16KernelsOfAvx512(); }
#else
bool hasBf16Kernels() { return false; }
Kernels bf16Kernels() { throw std::logic_error("no kernels of bfloat16"); }
#endif

}  // namespace mpm::vit
#endif  // HWY_ONCE
