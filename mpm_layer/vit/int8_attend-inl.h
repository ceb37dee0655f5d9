// SPDX-License-Identifier: Apache-2.0
// Attention with int8 queries and keys; included once for each instruction set.
#if defined(MPM_VIT_INT8_ATTEND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MPM_VIT_INT8_ATTEND_INL_H_
#undef MPM_VIT_INT8_ATTEND_INL_H_
#else
#define MPM_VIT_INT8_ATTEND_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "vit/attend-inl.h"
#include "vit/int8-inl.h"
#include "vit/kernels.h"
#include "vit/product-inl.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

// The int8 form of UnitLogits. Keys are a product's left factor, each with a scale and a start.
// Queries are its right one, transposed and packed as weights, followed by their scales.
template <class Dot>
struct Int8Logits {
  static constexpr std::size_t kPanelRows = Dot::kPanelRows;

  static HWY_INLINE std::size_t units(std::size_t d) { return d / Dot::kValues; }

  static HWY_INLINE void takeQueries(const HeadTile& tile, std::size_t width, Unit* q) {
    const std::size_t tail = units(tile.d);
    transposeQueries(tile, tail, width, q);
    for (std::size_t u = 0; u < tail && Dot::kFlip != 0; ++u) {
      for (std::size_t c = 0; c < width; ++c) q[u * kTileRows + c].whole ^= Dot::kFlip;
    }
    float* const scales = asFloats(q + tail * kTileRows);
    for (std::size_t r = 0; r < width; ++r)
      scales[r] = r < tile.queries ? tile.q[r * tile.qStride + tail].value : 0;
  }

  template <std::size_t R, std::size_t C, class Keep>
  static HWY_INLINE void multiply(const Unit* k, std::size_t kStride, const Unit* q,
                                  std::size_t units, const Keep& keep) {
    const float* const scales = asFloats(q + units * kTileRows);
    dotTile<Dot, R, C>(k, kStride, q, kTileRows, units, units, scales, keep);
  }
};

template <class Dot>
void toInt8Keys(ConstRows x, Unit* out, std::size_t stride) {
  toInt8<Dot>(x, 1, out, stride);
}

// Returns the table `beside`, with units of `Out`, and int8 linear layers and logits. `Attending`
// is `Out` with other functions for attention.
template <class Dot, class Out, class Attending = Out>
Kernels int8TableWithKeysOf(const Kernels& beside) {
  Kernels table = int8TableOf<Dot, Out>(beside);
  table.keyValues = Dot::kValues;
  table.keyTail = kInt8Tail;
  table.toQueries = toInt8<Dot>;
  table.toKeys = toInt8Keys<Dot>;
  table.attend = attend<Attending, Int8Logits<Dot>>;
  return table;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

#endif  // include guard
