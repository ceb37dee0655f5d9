// SPDX-License-Identifier: Apache-2.0
// A head's attention for a tile of queries in AMX's tile registers; included once. Logits have a
// row for each query and keys are transposed, so both products read their factors in memory order.
#pragma once

#include <algorithm>
#include <limits>

#include "vit/amx_tiles-inl.h"
#include "vit/bf16-inl.h"
#include "vit/kernels.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

constexpr float kNoLogit = -std::numeric_limits<float>::infinity();

// State of a tile from chunk to chunk, and its logits.
struct AmxHead {
  float* sums;     // [kTileRows x kLanes], of numerators, lane by lane
  float* logits;   // [kTileRows x kChunkKeys]; the numerators' units stand in their place
  float* out;      // [kTileRows x d], sums of numerators times values
  float* largest;  // [kTileRows]

  explicit AmxHead(const HeadTile& tile)
      : sums(tile.scratch),
        logits(sums + kTileRows * tile.d),  // at least kLanes
        out(logits + kTileRows * kChunkKeys),
        largest(out + kTileRows * tile.d) {}
};

// Adds weights to a query's logits and excludes those past `keys`. Returns the largest, lane by
// lane, `most` included.
HWY_INLINE Vec amxLargest(float* logits, const float* weights, std::size_t keys, Vec most) {
  const F d;
  std::size_t key = 0;
  for (; key + kLanes <= keys; key += kLanes) {
    Vec logit = hn::Load(d, logits + key);
    if (weights != nullptr) {
      logit = hn::Add(logit, hn::LoadU(d, weights + key));
      hn::Store(logit, d, logits + key);
    }
    most = hn::Max(logit, most);  // of NaN and a number the number
  }
  const Vec none = hn::Set(d, kNoLogit);
  if (key < keys) {
    const auto real = static_cast<__mmask16>((1U << (keys - key)) - 1);
    Vec logit = hn::Load(d, logits + key);
    if (weights != nullptr) {
      logit = hn::Add(logit, Vec{_mm512_maskz_loadu_ps(real, weights + key)});
    }
    logit = Vec{_mm512_mask_mov_ps(none.raw, real, logit.raw)};
    hn::Store(logit, d, logits + key);
    most = hn::Max(logit, most);
    key += kLanes;
  }
  if (key % (2 * kLanes) != 0) hn::Store(none, d, logits + key);
  return most;
}

// Turns a query's logits into units of numerators, and scales its earlier sums and values down.
HWY_INLINE void amxNumerators(float* logits, const float* weights, std::size_t keys, std::size_t d,
                              float* largest, float* sums, float* out) {
  const F f;
  const float before = *largest;
  const Vec most = amxLargest(logits, weights, keys, hn::Set(f, before));
  const float now = _mm512_reduce_max_ps(most.raw);
  // Nothing is subtracted if every logit is -infinity.
  const Vec shift = hn::Set(f, now == kNoLogit ? 0 : now);
  Vec sum = hn::Load(f, sums);
  if (now != before && before != kNoLogit) {
    const Vec fading = exp2OfNegative(hn::Sub(hn::Set(f, before), shift));
    sum = hn::Mul(sum, fading);
    for (std::size_t c = 0; c < d; c += kLanes) {
      hn::Store(hn::Mul(hn::Load(f, out + c), fading), f, out + c);
    }
  }
  *largest = now;
  Unit* const numerators = asUnits(logits);
  for (std::size_t key = 0; key < keys; key += 2 * kLanes) {
    const Vec low = exp2OfNegative(hn::Sub(hn::Load(f, logits + key), shift));
    const Vec high = exp2OfNegative(hn::Sub(hn::Load(f, logits + key + kLanes), shift));
    sum = hn::Add(sum, hn::Add(low, high));
    _mm512_store_si512(numerators + key / 2, toBf16(low, high));
  }
  hn::Store(sum, f, sums);
}

void amxAttend(const HeadTile& tile) {
  const F d;
  const AmxHead head(tile);
  const AmxTiles registers;
  std::fill_n(head.largest, tile.queries, kNoLogit);
  std::fill_n(head.sums, tile.queries * kLanes, 0.0F);
  std::fill_n(head.out, tile.queries * tile.d, 0.0F);
  const AmxRowsView queries{tile.q, tile.qStride, tile.queries};
  for (std::size_t key = 0; key < tile.keys; key += kChunkKeys) {
    const std::size_t keys = std::min(kChunkKeys, tile.keys - key);
    amxMultiplyAll<false>(queries, tile.k + key, tile.kStride, tile.d / 2, padded(keys),
                          head.logits, kChunkKeys);
    for (std::size_t r = 0; r < tile.queries; ++r) {
      float* const row = head.logits + r * kChunkKeys;
      const float* const weights = tile.keyWeights == nullptr ? nullptr : tile.keyWeights + key;
      amxNumerators(row, weights, keys, tile.d, head.largest + r, head.sums + r * kLanes,
                    head.out + r * tile.d);
    }
    amxMultiplyAll<true>({asUnits(head.logits), kChunkKeys, tile.queries},
                         tile.v + key / 2 * tile.vStride, tile.vStride, padded((keys + 1) / 2),
                         tile.d, head.out, tile.d);
  }
  for (std::size_t r = 0; r < tile.queries; ++r) {
    const float sum = _mm512_reduce_add_ps(hn::Load(d, head.sums + r * kLanes).raw);
    const Vec factor = hn::Set(d, head.largest[r] == kNoLogit ? 0 : 1 / sum);
    for (std::size_t c = 0; c < tile.d; c += kLanes) {
      const Vec v[1] = {hn::Mul(hn::Load(d, head.out + r * tile.d + c), factor)};
      Bf16::storeRow(v, tile.out + r * tile.outStride + c / 2);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();
