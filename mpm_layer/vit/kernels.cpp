// SPDX-License-Identifier: Apache-2.0
#include "vit/kernels.h"

#include <stdexcept>
#include <string>

#include "processor/simd.h"

namespace mpm::vit {

bool hasBf16() {
  // Decides by the name: asking Highway for the processor's features again would undo MPM_SIMD.
  const std::string& level = processor::simdChoice().level;
  static const bool has = (level == "amx" || level.rfind("avx512", 0) == 0) &&
                          level != "avx512vnni" && hasBf16Kernels();
  return has;
}

bool hasFp16() { return processor::simdChoice().level == "dotprod"; }

std::size_t headTileScratch(std::size_t d) {
  constexpr std::size_t kNumbersOfARow = 3;  // largest logit, sum, fading
  return kTileRows * (2 * d + kChunkKeys + kNumbersOfARow);
}

Precision unquantised(Precision precision) {
  if (precision != Precision::int8) return precision;
  if (hasBf16() && processor::simdChoice().bf16BesideInt8) return Precision::bf16;
  return hasFp16() ? Precision::fp16 : Precision::fp32;
}

namespace {

Kernels int8Kernels() {
  switch (unquantised(Precision::int8)) {
    case Precision::bf16:
      return int8KernelsBesideBf16(kernels(Precision::bf16));
    case Precision::fp16:
      return int8KernelsBesideFp16();
    default:
      return int8KernelsBesideFp32(true);
  }
}

}  // namespace

const Kernels& kernels(Precision precision) {
  static const Kernels fp32 = (processor::simdChoice(), fp32Kernels());
  if (precision == Precision::fp32) return fp32;
  if (precision == Precision::int8) {
    static const Kernels int8 = int8Kernels();
    return int8;
  }
  if (precision == Precision::fp16) {
    if (!hasFp16()) throw std::invalid_argument("fp16: this processor cannot multiply in float16");
    static const Kernels fp16 = fp16Kernels();
    return fp16;
  }
  if (!hasBf16()) throw std::invalid_argument("bf16: this processor cannot multiply in bfloat16");
  static const Kernels bf16 = processor::simdChoice().level == "amx" ? amxKernels() : bf16Kernels();
  return bf16;
}

const Kernels& kernelsWithBias(Precision precision) {
  static const Kernels bf16 = hasBf16() ? bf16Kernels() : Kernels{};
  return kernels(precision).turnsKeys ? bf16 : kernels(precision);
}

}  // namespace mpm::vit
