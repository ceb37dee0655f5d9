// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mpm::processor {

/// Selects the kernels of this process, once, by the environment. MPM_SIMD=reference takes the
/// reference implementations. MPM_SIMD=avx2, or another instruction set of this build and this
/// processor, takes its kernels. Unset, it is the processor's best. Throws std::invalid_argument,
/// with the accepted names, on any other value. "amx" is AVX-512 with tile registers for bfloat16;
/// "avx512" has everything but those; "avx512vnni" also lacks products of bfloat16, as many
/// processors do. "dotprod" is NEON with dot products of int8 and float16 arithmetic, which Arm
/// processors have from Armv8.2 on.
struct SimdChoice {
  bool reference = false;
  std::string level;
  /// Tells whether the parts outside int8 use bfloat16 where the level has it. Not in AVX-512 on
  /// Intel's processors, which multiply bfloat16 more slowly than float32. If MPM_SIMD names the
  /// level, it always does, so that these kernels can be reached everywhere.
  bool bf16BesideInt8 = true;
};
const SimdChoice& simdChoice();

/// Tell whether the processor has dot products of int8 (VNNI): in AVX-512, and in AVX2's vectors.
bool hasAvx512Vnni();
bool hasAvxVnni();

}  // namespace mpm::processor
