// SPDX-License-Identifier: Apache-2.0
// Products of float16. No Highway instruction set has them, so its NEON is compiled for processors
// that do.
#include <hwy/highway.h>
#include <stdexcept>

#include "vit/kernels.h"

#if HWY_ARCH_ARM_A64
#define MPM_VIT_TARGET "arch=armv8.2-a+crypto+fp16+dotprod"
// Comes after what they depend on.
#include "vit/attend-inl.h"
#include "vit/fp16-inl.h"
#include "vit/product-inl.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

Kernels table() { return tableOf<Fp16>(multiply<Fp16>, attend<Fp16>); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

namespace mpm::vit {

Kernels fp16Kernels() { return HWY_NAMESPACE::table(); }

}  // namespace mpm::vit
#else
namespace mpm::vit {

Kernels fp16Kernels() { throw std::logic_error("no kernels of float16"); }

}  // namespace mpm::vit
#endif
