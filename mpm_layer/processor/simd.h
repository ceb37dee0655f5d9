// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mpm::processor {

/// How the kernels of this process run. Read once from the environment: MPM_SIMD=reference
/// takes the reference implementations, MPM_SIMD=avx2 (or another instruction set that this build
/// has and this processor runs) the kernels of that one. Unset, the best one the processor has.
/// Throws std::invalid_argument, with the names that would do, on any other value.
/// "amx" is AVX-512 with tile registers for bfloat16, "avx512" AVX-512 with all that the processor
/// has but those, "avx512vnni" the same without products of bfloat16, as many processors are;
/// "dotprod" is NEON with dot products of int8 and arithmetic in float16, which Arm processors have
/// from Armv8.2 on.
struct SimdChoice {
  bool reference = false;
  std::string level;
  /// Whether what int8 leaves to others goes in bfloat16 where the level has it. Not in AVX-512 of
  /// Intel's processors, which multiply in it more slowly than in float32, unless MPM_SIMD names
  /// the level: then all that it has is taken, so that these kernels can be reached everywhere.
  bool bf16BesideInt8 = true;
};
const SimdChoice& simdChoice();

/// Whether the processor has dot products of int8 (VNNI): in AVX-512, and in AVX2's vectors.
bool hasAvx512Vnni();
bool hasAvxVnni();

}  // namespace mpm::processor
