// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

/// The tensor cores' instructions, from sm_80 on, which host compilers cannot express. Fragments
/// come in 32-bit words: one float32 as TF32, or two bfloat16 with the lower index in the lower
/// half. A has 16 rows of 8 words, B has 8 columns of 8 words.
/// Lane l, with group = l / 4 and t = l % 4, holds
///
///   a[0]    word t of row group        a[1]  word t of row group + 8
///   a[2]    word t + 4 of row group    a[3]  word t + 4 of row group + 8
///   b[0]    word t of column group     b[1]  word t + 4 of column group
///   sum[0]  row group, column 2t       sum[1]  row group, column 2t + 1
///   sum[2]  row group + 8, column 2t   sum[3]  row group + 8, column 2t + 1
///
/// All lanes of a warp call together. Products are exact; sums are truncated to float32.
namespace mpm::merge {

/// Rounds to nearest, ties away from zero: 10 bits of the mantissa stay.
__device__ inline float roundToTf32(float x) {
  std::uint32_t rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
  return __uint_as_float(rounded);
}

/// Adds A B of 8 features in TF32 to `sum`. The lower 13 bits of operands are ignored.
__device__ inline void multiplyTf32(float (&sum)[4], const std::uint32_t (&a)[4],
                                    const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// Adds A B of 16 features in bfloat16 to `sum`.
__device__ inline void multiplyBf16(float (&sum)[4], const std::uint32_t (&a)[4],
                                    const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace mpm::merge
