// SPDX-License-Identifier: Apache-2.0
// Linear layers and logits in int8 with Arm's products of small matrices (i8mm), beside float16.
#include <hwy/highway.h>

#include "vit/kernels.h"

#if HWY_ARCH_ARM_A64
#define MPM_VIT_TARGET "arch=armv8.2-a+crypto+fp16+dotprod+i8mm"
// Behind what they depend on.
#include "vit/fp16-inl.h"
#include "vit/int8_attend-inl.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

// An instruction multiplies two rows by two columns, eight values of each. Weights lie as they do
// for dot products, four values of a column side by side: eight are put together as they are
// loaded.
struct ArmMatrix {
  static constexpr std::int32_t kFlip = 0, kStart = 0;
  static constexpr std::size_t kPanelRows = 4;
  static constexpr bool kAddsAll = true;

  template <std::size_t R, std::size_t C>
  static HWY_INLINE void addAll(const Unit* a, std::size_t aStride, const Unit* b,
                                std::size_t bStride, std::size_t units, Ints (&sum)[R][C]) {
    constexpr std::size_t kPairs = (R + 1) / 2;  // of an odd number of rows the last one twice
    int32x4_t blocks[kPairs][2 * C];
#pragma GCC unroll 8
    for (auto& pair : blocks) std::fill_n(pair, 2 * C, vdupq_n_s32(0));
    const auto rowAt = [&](std::size_t r, std::size_t k)
                           MPM_VIT_ATTR { return a + std::min(r, R - 1) * aStride + k; };
    int8x16_t left[kPairs], next[kPairs];
    std::size_t k = 0;
    for (; k + 4 <= units; k += 4) {
#pragma GCC unroll 8
      for (std::size_t p = 0; p < kPairs; ++p) {
        const int64x2_t first = vreinterpretq_s64_f32(loadUnits(rowAt(2 * p, k)).raw);
        const int64x2_t second = vreinterpretq_s64_f32(loadUnits(rowAt(2 * p + 1, k)).raw);
        left[p] = vreinterpretq_s8_s64(vzip1q_s64(first, second));
        next[p] = vreinterpretq_s8_s64(vzip2q_s64(first, second));
      }
      addTwo<kPairs, C>(left, b + k * bStride, bStride, blocks);
      addTwo<kPairs, C>(next, b + (k + 2) * bStride, bStride, blocks);
    }
    for (; k < units; ++k) {  // one unit and nothing
      for (std::size_t p = 0; p < kPairs; ++p) {
        const int32x4_t first = vsetq_lane_s32(rowAt(2 * p, k)->whole, vdupq_n_s32(0), 0);
        left[p] = vreinterpretq_s8_s32(vsetq_lane_s32(rowAt(2 * p + 1, k)->whole, first, 2));
      }
      addTwo<kPairs, C>(left, b + k * bStride, 0, blocks);
    }
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r) {
#pragma GCC unroll 8
      for (std::size_t c = 0; c < C; ++c) {
        const int64x2_t low = vreinterpretq_s64_s32(blocks[r / 2][2 * c]);
        const int64x2_t high = vreinterpretq_s64_s32(blocks[r / 2][2 * c + 1]);
        const int64x2_t row = r % 2 == 0 ? vzip1q_s64(low, high) : vzip2q_s64(low, high);
        sum[r][c] = Ints{vaddq_s32(sum[r][c].raw, vreinterpretq_s32_s64(row))};
      }
    }
  }

 private:
  // Two units of each row, and of each column at `b` and `b + stride`.
  template <std::size_t P, std::size_t C>
  static HWY_INLINE void addTwo(const int8x16_t (&left)[P], const Unit* b, std::size_t stride,
                                int32x4_t (&blocks)[P][2 * C]) {
#pragma GCC unroll 8
    for (std::size_t c = 0; c < C; ++c) {
      const int32x4_t first = vreinterpretq_s32_f32(loadUnits(b + c * kLanes).raw);
      const int32x4_t second = vreinterpretq_s32_f32(loadUnits(b + stride + c * kLanes).raw);
      const int8x16_t low = vreinterpretq_s8_s32(vzip1q_s32(first, second));
      const int8x16_t high = vreinterpretq_s8_s32(vzip2q_s32(first, second));
#pragma GCC unroll 8
      for (std::size_t p = 0; p < P; ++p) {
        blocks[p][2 * c] = vmmlaq_s32(blocks[p][2 * c], left[p], low);
        blocks[p][2 * c + 1] = vmmlaq_s32(blocks[p][2 * c + 1], left[p], high);
      }
    }
  }
};

Kernels table() { return int8TableWithKeysOf<ArmMatrix, Fp16>(fp16Kernels()); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

namespace mpm::vit {

Kernels int8KernelsOfI8mm();
Kernels int8KernelsOfI8mm() { return HWY_NAMESPACE::table(); }

}  // namespace mpm::vit
#endif  // HWY_ARCH_ARM_A64
