// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/kernels_fp32.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>
// Comes after highway.h: included once for each target.
#include "vit/attend-inl.h"
#include "vit/fp32-inl.h"
#include "vit/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::vit {
namespace HWY_NAMESPACE {

Kernels fp32Kernels() {
  Kernels table = tableOf<Fp32>(multiply<Fp32>, attend<Fp32>);
  table.addColumns = addTakenColumns;
  return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::vit {

HWY_EXPORT(fp32Kernels);

Kernels fp32Kernels() { return HWY_DYNAMIC_DISPATCH(fp32Kernels)(); }

}  // namespace mpm::vit
#endif  // HWY_ONCE
