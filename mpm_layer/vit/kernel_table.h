// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vit/kernels.h"

namespace mpm::vit {

/// For the best instruction set that this processor has, or MPM_SIMD's.
Kernels fp32Kernels();

/// Whether there are kernels of bfloat16 here, and these; they need AVX-512 with its bfloat16
/// products.
bool hasBf16Kernels();
Kernels bf16Kernels();
/// The same in AMX's tile registers, where processor::hasAmx().
Kernels amxKernels();

}  // namespace mpm::vit
