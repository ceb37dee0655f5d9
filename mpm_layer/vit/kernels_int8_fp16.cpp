// SPDX-License-Identifier: Apache-2.0
// Linear layers and logits in int8 with Arm's dot products, next to float16.
#include <hwy/highway.h>
#include <stdexcept>

#include "vit/kernels.h"

#if HWY_ARCH_ARM_A64
#define MPM_VIT_TARGET "arch=armv8.2-a+crypto+fp16+dotprod"
// Comes after what they depend on.
#include "vit/fp16-inl.h"
#include "vit/int8_attend-inl.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

// Loads four units of a row at once; each multiplies a vector of columns directly.
struct ArmDot {
  using Value = std::int8_t;
  static constexpr std::size_t kValues = 4;
  static constexpr std::int32_t kFlip = 0, kStart = 0;
  static constexpr std::size_t kPanelRows = 4;
  static constexpr bool kAddsAll = true;

  template <std::size_t R, std::size_t C>
  static HWY_INLINE void addAll(const Unit* a, std::size_t aStride, const Unit* b,
                                std::size_t bStride, std::size_t units, Ints (&sum)[R][C]) {
    int8x16_t left[R];
    std::size_t k = 0;
    for (; k + 4 <= units; k += 4) {
#pragma GCC unroll 8
      for (std::size_t r = 0; r < R; ++r) left[r] = bytesAt(a + r * aStride + k);
      addUnit<0>(left, b + k * bStride, sum);
      addUnit<1>(left, b + (k + 1) * bStride, sum);
      addUnit<2>(left, b + (k + 2) * bStride, sum);
      addUnit<3>(left, b + (k + 3) * bStride, sum);
    }
    for (; k < units; ++k) {
      for (std::size_t r = 0; r < R; ++r)
        left[r] = vreinterpretq_s8_f32(everywhere(a + r * aStride + k).raw);
      addUnit<0>(left, b + k * bStride, sum);
    }
  }

 private:
  static HWY_INLINE int8x16_t bytesAt(const Unit* units) {
    return vreinterpretq_s8_f32(loadUnits(units).raw);
  }
  template <int kUnit, std::size_t R, std::size_t C>
  static HWY_INLINE void addUnit(const int8x16_t (&left)[R], const Unit* b, Ints (&sum)[R][C]) {
#pragma GCC unroll 8
    for (std::size_t c = 0; c < C; ++c) {
      const int8x16_t right = bytesAt(b + c * kLanes);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < R; ++r)
        sum[r][c] = Ints{vdotq_laneq_s32(sum[r][c].raw, right, left[r], kUnit)};
    }
  }
};

Kernels table() { return int8TableWithKeysOf<ArmDot, Fp16>(fp16Kernels()); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

namespace mpm::vit {

Kernels int8KernelsBesideFp16() { return HWY_NAMESPACE::table(); }

}  // namespace mpm::vit
#else
namespace mpm::vit {

Kernels int8KernelsBesideFp16() { throw std::logic_error("no kernels of float16"); }

}  // namespace mpm::vit
#endif
