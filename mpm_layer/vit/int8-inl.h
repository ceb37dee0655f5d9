// SPDX-License-Identifier: Apache-2.0
// Products in int8; included once for each instruction set. Sums are exact integers, and
// conversions to and from floats round alike everywhere. Sums times scales are therefore the same
// to the bit with every instruction set.
#if defined(MPM_VIT_INT8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MPM_VIT_INT8_INL_H_
#undef MPM_VIT_INT8_INL_H_
#else
#define MPM_VIT_INT8_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "vit/finish-inl.h"
#include "vit/kernels.h"
#include "vit/product-inl.h"
#include "vit/units-inl.h"

#undef MPM_VIT_VNNI
#if HWY_ARCH_X86 && (HWY_TARGET == HWY_AVX2 || HWY_TARGET <= HWY_AVX3)
#define MPM_VIT_VNNI 1
#else
#define MPM_VIT_VNNI 0
#endif

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

using I32 = hn::RebindToSigned<F>;
using Ints = hn::Vec<I32>;

// add(a, b, sum) returns sum + the products of each lane: kValues of a's and b's, within 127, which
// units hold as `Value`. Packed weights are b with the bits of kFlip inverted, and a row's sums
// begin with kStart times its total. With kAddsAll there is addAll(a, aStride, b, bStride, units,
// sum) for a whole tile instead.
#if HWY_ARCH_X86
// Multiplies pairs of int16. Bytes would have to be given signs and widened again for each product,
// so that they take longer, although they are half as many.
struct PlainDot {
  using Value = std::int16_t;
  static constexpr std::size_t kValues = 2;
  static constexpr std::int32_t kFlip = 0, kStart = 0;
  static constexpr std::size_t kPanelRows = 6;
  static constexpr bool kAddsAll = false;

  static HWY_INLINE Ints add(Ints a, Ints b, Ints sum) {
#if HWY_TARGET <= HWY_AVX3
    return hn::Add(sum, Ints{_mm512_madd_epi16(a.raw, b.raw)});
#elif HWY_TARGET == HWY_AVX2
    // One piece of assembly: GCC keeps the sums of a tile in their registers only so.
    Ints both;
    __asm__("vpmaddwd %2, %3, %1\n\tvpaddd %1, %0, %0"
            : "+x"(sum.raw), "=&x"(both.raw)
            : "x"(a.raw), "x"(b.raw));
    return sum;
#elif HWY_TARGET == HWY_SSE4
    return hn::Add(sum, Ints{_mm_madd_epi16(a.raw, b.raw)});
#else
    sum = hn::Add(sum, hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a)),
                               hn::ShiftRight<16>(hn::ShiftLeft<16>(b))));
    return hn::Add(sum, hn::Mul(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b)));
#endif
  }
};
#else
struct PlainDot {
  using Value = std::int8_t;
  static constexpr std::size_t kValues = 4;
  static constexpr std::int32_t kFlip = 0, kStart = 0;
  static constexpr std::size_t kPanelRows = 6;
  static constexpr bool kAddsAll = false;

  template <int kByte>
  static HWY_INLINE Ints valueOf(Ints quads) {
    return hn::ShiftRight<24>(hn::ShiftLeft<24 - 8 * kByte>(quads));
  }

  static HWY_INLINE Ints add(Ints a, Ints b, Ints sum) {
#if HWY_ARCH_ARM_A64
    const int8x16_t left = vreinterpretq_s8_s32(a.raw), right = vreinterpretq_s8_s32(b.raw);
    const int16x8_t low = vmull_s8(vget_low_s8(left), vget_low_s8(right));
    const int16x8_t high = vmull_high_s8(left, right);
    return Ints{vpadalq_s16(sum.raw, vpaddq_s16(low, high))};
#else
    sum = hn::Add(sum, hn::Mul(valueOf<0>(a), valueOf<0>(b)));
    sum = hn::Add(sum, hn::Mul(valueOf<1>(a), valueOf<1>(b)));
    sum = hn::Add(sum, hn::Mul(valueOf<2>(a), valueOf<2>(b)));
    return hn::Add(sum, hn::Mul(hn::ShiftRight<24>(a), hn::ShiftRight<24>(b)));
#endif
  }
};
#endif

#if MPM_VIT_VNNI
// Uses the processor's instruction, which takes one factor without a sign: b + 128. What that adds
// is subtracted beforehand. Written in assembly, since Highway's targets lack it.
struct VnniDot {
  using Value = std::int8_t;
  static constexpr std::size_t kValues = 4;
  static constexpr std::int32_t kFlip = static_cast<std::int32_t>(0x80808080U), kStart = -128;
  static constexpr std::size_t kPanelRows = 6;
  static constexpr bool kAddsAll = false;

  static HWY_INLINE Ints add(Ints a, Ints b, Ints sum) {
#if HWY_TARGET == HWY_AVX2
    __asm__("%{vex%} vpdpbusd %1, %2, %0" : "+x"(sum.raw) : "x"(a.raw), "x"(b.raw));
#else
    __asm__("vpdpbusd %1, %2, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
#endif
    return sum;
  }
};
#endif

template <class Dot>
HWY_INLINE void toInt8Row(const float* x, std::size_t dim, float scale, Unit* out) {
  const F d;
  const I32 ints;
  const hn::Rebind<typename Dot::Value, F> values;
  const std::size_t whole = dim / kColumnStep * kColumnStep, columns = padded(dim);
  alignas(64) float rest[kColumnStep] = {};
  std::copy_n(x + whole, dim - whole, rest);
  const auto load = [&](std::size_t k) MPM_VIT_ATTR {
    return hn::LoadU(d, k < whole ? x + k : rest + (k - whole));
  };
  // Magnitudes have the order of their bits, with infinity and NaN after all numbers.
  const Ints magnitude = hn::Set(ints, 0x7fffffff);
  Ints most = hn::Zero(ints);
  for (std::size_t k = 0; k < columns; k += kLanes) {
    most = hn::Max(most, hn::And(hn::BitCast(ints, load(k)), magnitude));
  }
  const std::int32_t largestBits = hn::GetLane(hn::MaxOfLanes(ints, most));
  float largest;
  std::memcpy(&largest, &largestBits, sizeof largest);

  Unit* const tail = out + columns / Dot::kValues;
  const bool isFinite = largest <= std::numeric_limits<float>::max();
  if (!isFinite || largest < 1e-30F) {
    std::fill(out, tail, Unit{});
    tail[0].value = isFinite ? 0 : std::numeric_limits<float>::quiet_NaN();
    tail[1].whole = 0;
    return;
  }
  const Vec factor = hn::Set(d, 127 / largest);
  Ints total = hn::Zero(ints);
  for (std::size_t k = 0; k < columns; k += kLanes) {
    const Ints rounded = hn::NearestInt(hn::Mul(load(k), factor));
    total = hn::Add(total, rounded);
    hn::StoreU(hn::DemoteTo(values, rounded), values,
               reinterpret_cast<typename Dot::Value*>(out) + k);
  }
  tail[0].value = largest / 127 * scale;
  tail[1].whole = Dot::kStart * hn::GetLane(hn::SumOfLanes(ints, total));
}

template <class Dot>
void toInt8(ConstRows x, float scale, Unit* out, std::size_t stride) {
  for (std::size_t r = 0; r < x.count; ++r) {
    toInt8Row<Dot>(x.row(r), x.dim, scale, out + r * stride);
  }
}

// Works as multiplyTile. `tail` is where a row's scale is; `scales` belong to the columns.
template <class Dot, std::size_t R, std::size_t C, class Sink>
HWY_INLINE void dotTile(const Unit* HWY_RESTRICT a, std::size_t aStride, const Unit* HWY_RESTRICT b,
                        std::size_t bStride, std::size_t units, std::size_t tail,
                        const float* scales, const Sink& sink) {
  const F d;
  const I32 ints;
  Ints sum[R][C];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < R; ++r) {
    const Ints start = hn::Set(ints, a[r * aStride + tail + 1].whole);
#pragma GCC unroll 8
    for (std::size_t c = 0; c < C; ++c) sum[r][c] = start;
  }
  if constexpr (Dot::kAddsAll) {
    Dot::template addAll<R, C>(a, aStride, b, bStride, units, sum);
  } else {
    for (std::size_t k = 0; k < units; ++k) {
      Ints right[C];
#pragma GCC unroll 8
      for (std::size_t c = 0; c < C; ++c) {
        right[c] = hn::BitCast(ints, loadUnits(b + k * bStride + c * kLanes));
      }
#pragma GCC unroll 8
      for (std::size_t r = 0; r < R; ++r) {
        const Ints left = hn::BitCast(ints, everywhere(a + r * aStride + k));
#pragma GCC unroll 8
        for (std::size_t c = 0; c < C; ++c) sum[r][c] = Dot::add(left, right[c], sum[r][c]);
      }
    }
  }
  Vec values[R][C];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < R; ++r) {
    const Vec ofRow = hn::Set(d, a[r * aStride + tail].value);
#pragma GCC unroll 8
    for (std::size_t c = 0; c < C; ++c) {
      const Vec scaled = hn::Mul(hn::ConvertTo(d, sum[r][c]), ofRow);
      values[r][c] = hn::Mul(scaled, hn::LoadU(d, scales + c * kLanes));
    }
  }
  sink(values);
}

// Allows rough GELUs, since results are rounded to int8 or to the units of `Out`.
template <class Out>
struct FinishOf : Out {
  static constexpr bool kRoundsGelu = true;
};

template <class Dot, class Out>
void multiplyInt8(const Product& product, const Finish& finish) {
  const std::size_t units = (product.inputs + Dot::kValues - 1) / Dot::kValues;
  const std::size_t tail = padded(product.inputs) / Dot::kValues;
  alignas(64) float sums[kMostRows * kPanelColumns];
  inPanels(product, finish, Dot::kValues, [&](auto vectors, const Panel& panel) MPM_VIT_ATTR {
    constexpr std::size_t C = vectors();
    inTiles<Dot, C>(product.rows, [&](auto count, std::size_t row) MPM_VIT_ATTR {
      constexpr std::size_t R = count();
      dotTile<Dot, R, C>(product.a + row * product.aStride, product.aStride, panel.units,
                         panel.width, units, tail, product.b.scales + panel.place, KeepSums{sums});
      finishSums<FinishOf<Out>>({finish, row, panel.column},
                                {sums, R, panel.width, panel.columns, nullptr});
    });
  });
}

// Returns the table `beside`, with units of `Out`, and int8 linear layers.
template <class Dot, class Out>
Kernels int8TableOf(Kernels beside) {
  beside.operandValues = Dot::kValues;
  beside.operandTail = kInt8Tail;
  beside.weightFlip = Dot::kFlip;
  beside.toOperands = toInt8<Dot>;
  beside.multiply = multiplyInt8<Dot, Out>;
  return beside;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

#endif  // include guard
