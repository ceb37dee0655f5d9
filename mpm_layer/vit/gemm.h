// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpm/rows.h"

namespace mpm::vit {

/// out [n x m] = a [n x k] b [k x m], k >= 1, in float32, by the library of this architecture.
/// Within a task of `forEachGemmTask` (gemm_tasks.h) it stays on the calling thread.
/// `out` overlaps neither a nor b; what it held before does not count, NaN included.
void multiply(ConstRows a, ConstRows b, Rows out);

/// out [n x m] = a [n x k] bT, with b [m x k].
void multiplyTransposed(ConstRows a, ConstRows b, Rows out);

}  // namespace mpm::vit
