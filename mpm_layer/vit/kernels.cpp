// SPDX-License-Identifier: Apache-2.0
#include "vit/kernels.h"

#include <stdexcept>

#include "processor/simd.h"

namespace mpm::vit {

bool hasBf16() {
  static const bool has = !processor::simdChoice().reference && hasBf16Kernels();
  return has;
}

std::size_t headTileScratch(std::size_t d) {
  constexpr std::size_t kNumbersOfARow = 3;  // largest logit, sum, fading
  return kTileRows * (2 * d + kChunkKeys + kNumbersOfARow);
}

const Kernels& kernels(Precision precision) {
  static const Kernels fp32 = (processor::simdChoice(), fp32Kernels());
  if (precision == Precision::fp32) return fp32;
  if (!hasBf16()) throw std::invalid_argument("bf16: this processor cannot multiply in bfloat16");
  static const Kernels bf16 = processor::simdChoice().level == "amx" ? amxKernels() : bf16Kernels();
  return bf16;
}

const Kernels& kernelsWithBias(Precision precision) {
  static const Kernels bf16 = hasBf16() ? bf16Kernels() : Kernels{};
  return kernels(precision).turnsKeys ? bf16 : kernels(precision);
}

}  // namespace mpm::vit
