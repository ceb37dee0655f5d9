// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mpm::vit {

/// What products are computed in. bf16: their operands are bfloat16, their sums float32.
enum class Precision { fp32, bf16 };

/// Whether this processor multiplies bfloat16 by itself. MPM_SIMD that forces a lesser instruction
/// set takes it away.
bool hasBf16();

}  // namespace mpm::vit
