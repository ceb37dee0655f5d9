// SPDX-License-Identifier: Apache-2.0
// A head's attention for a tile of queries; included once for each instruction set.
//
// Logits are transposed: a row for each key, a column for each query. The softmax thus runs down
// columns of whole vectors, and both products read their factors in memory order.
#if defined(MPM_VIT_ATTEND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MPM_VIT_ATTEND_INL_H_
#undef MPM_VIT_ATTEND_INL_H_
#else
#define MPM_VIT_ATTEND_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "vit/kernels.h"
#include "vit/product-inl.h"
#include "vit/units-inl.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

constexpr float kNone = -std::numeric_limits<float>::infinity();
constexpr std::size_t kRowVectors = kColumnStep / kLanes;
static_assert(kTileRows % kLanes == 0 && kChunkKeys % 2 == 0);

// State of a tile from chunk to chunk, and its logits.
struct TileState {
  Unit* q;           // [units(d) x kTileRows], as the logits' factor wants them
  float* logits;     // [kChunkKeys x kTileRows]
  Unit* numerators;  // in their place
  float* out;        // [kTileRows x d], sums of numerators times values
  float* largest;    // [kTileRows]
  float* sums;       // [kTileRows], of numerators
  float* fading;     // [kTileRows], what the chunks before count by now

  explicit TileState(const HeadTile& tile)
      : q(asUnits(tile.scratch)),
        logits(tile.scratch + tile.d * kTileRows),
        numerators(asUnits(logits)),
        out(logits + kChunkKeys * kTileRows),
        largest(out + kTileRows * tile.d),
        sums(largest + kTileRows),
        fading(sums + kTileRows) {}
};

// Transposes queries, and fills columns past them with zeros up to `width`.
HWY_INLINE void transposeQueries(const HeadTile& tile, std::size_t units, std::size_t width,
                                 Unit* out) {
  std::size_t r = 0;
  for (; r + 4 <= tile.queries; r += 4) {
    for (std::size_t k = 0; k < units; k += 4) {
      transposeFour(tile.q + r * tile.qStride + k, tile.qStride, out + k * kTileRows + r,
                    kTileRows);
    }
  }
  for (; r < width; ++r) {
    for (std::size_t k = 0; k < units; ++k) {
      out[k * kTileRows + r] = r < tile.queries ? tile.q[r * tile.qStride + k] : Unit{};
    }
  }
}

// Makes logits of units that `A` multiplies; int8_attend-inl.h has the other way.
template <class A>
struct UnitLogits {
  static constexpr std::size_t kPanelRows = A::kPanelRows;

  static HWY_INLINE std::size_t units(std::size_t d) { return d / A::kUnitValues; }
  static HWY_INLINE void takeQueries(const HeadTile& tile, std::size_t width, Unit* q) {
    transposeQueries(tile, units(tile.d), width, q);
  }
  // Calls keep(logits) for R keys, `units` long, and C vectors of queries; q is their first.
  template <std::size_t R, std::size_t C, class Keep>
  static HWY_INLINE void multiply(const Unit* k, std::size_t kStride, const Unit* q,
                                  std::size_t units, const Keep& keep) {
    multiplyRows<A, R, C, false>(k, kStride, q, kTileRows, units, keep);
  }
};

// Prefetches the R keys after those from `key` on, as many of the values that these keys'
// numerators meet, and biases.
template <class A, std::size_t R, std::size_t C>
HWY_INLINE void fetchKeys(const HeadTile& tile, std::size_t key, std::size_t column,
                          std::size_t units) {
  for (std::size_t r = key; r < key + R; ++r) {
    const Unit* const k = tile.k + (r + R) * tile.kStride;
    const Unit* const v = tile.v + r / A::kUnitValues * tile.vStride;
    for (std::size_t u = 0; u < units && column == 0; u += kLineUnits) fetchAhead(k + u);
    for (std::size_t u = 0; u < tile.d && column == 0; u += kLineUnits) fetchAhead(v + u);
    for (std::size_t c = 0; c < C && tile.bias.data != nullptr; ++c)
      fetchAhead(asUnits(tile.bias.at(r + 2 * R, column + c * kLanes)));
  }
}

// Stores R rows of logits, and updates the largest of each column.
template <std::size_t R, std::size_t C>
HWY_INLINE void keepLogits(const Vec (&logits)[R][C], float* largest, float* out) {
  const F d;
#pragma GCC unroll 8
  for (std::size_t c = 0; c < C; ++c) {
    Vec most = hn::Load(d, largest + c * kLanes);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r) {
      most = hn::Max(logits[r][c], most);  // of NaN and a number the number, on x86
      hn::Store(logits[r][c], d, out + r * kTileRows + c * kLanes);
    }
    hn::Store(most, d, largest + c * kLanes);
  }
}

// Computes logits [keys x width] = k qT + weights, and the largest of each column so far.
template <class A, class Logits>
HWY_INLINE void makeLogits(const HeadTile& tile, std::size_t firstKey, std::size_t keys,
                           std::size_t width, const TileState& state) {
  const std::size_t units = Logits::units(tile.d);
  for (std::size_t column = 0; column < width; column += kPanelColumns) {
    withVectors(std::min(width - column, kPanelColumns) / kLanes, [&](auto vectors) MPM_VIT_ATTR {
      constexpr std::size_t C = vectors();
      const F d;
      float* const largest = state.largest + column;
      const bool hasBias = tile.bias.data != nullptr;
      inTiles<Logits, C>(keys, [&](auto count, std::size_t row) MPM_VIT_ATTR {
        constexpr std::size_t R = count();
        const std::size_t key = firstKey + row;
        const float* const weights = tile.keyWeights == nullptr ? nullptr : tile.keyWeights + key;
        float* const out = state.logits + row * kTileRows + column;
        const auto keep = [&](const auto& sum) MPM_VIT_ATTR {
          if (weights == nullptr && !hasBias) return keepLogits<R, C>(sum, largest, out);
          Vec logits[R][C];
#pragma GCC unroll 8
          for (std::size_t r = 0; r < R; ++r) {
            const Vec weight = hn::Set(d, weights == nullptr ? 0 : weights[r]);
#pragma GCC unroll 8
            for (std::size_t c = 0; c < C; ++c) {
              logits[r][c] = hn::Add(sum[r][c], weight);
              if (!hasBias) continue;
              const Vec bias = hn::Load(d, tile.bias.at(key + r, column + c * kLanes));
              logits[r][c] = hn::Add(logits[r][c], bias);
            }
          }
          keepLogits<R, C>(logits, largest, out);
        };
        fetchKeys<A, R, C>(tile, key, column, units);
        Logits::template multiply<R, C>(tile.k + key * tile.kStride, tile.kStride, state.q + column,
                                        units, keep);
      });
    });
  }
}

// Turns logits into units of numerators, and updates sums and fading. `before` has the largest
// logits up to the previous chunk.
template <class A>
HWY_INLINE void makeNumerators(std::size_t keys, std::size_t width, const float* before,
                               const TileState& state) {
  const F d;
  const Vec none = hn::Set(d, kNone);
  for (std::size_t c = 0; c < width; c += kLanes) {
    const Vec largest = hn::Load(d, state.largest + c);
    // Nothing is subtracted if every logit is -infinity.
    const Vec shift = hn::IfThenZeroElse(hn::Eq(largest, none), largest);
    const Vec fading = exp2OfNegative(hn::Sub(hn::Load(d, before + c), shift));
    Vec sum = hn::Mul(hn::Load(d, state.sums + c), fading);
    const float* const column = state.logits + c;
    const auto numerator = [&](std::size_t key) MPM_VIT_ATTR {
      return A::exp2(hn::Sub(hn::Load(d, column + key * kTileRows), shift));
    };
    sum = A::storeNumerators(keys, numerator, sum, state.numerators + c);
    hn::Store(sum, d, state.sums + c);
    hn::Store(fading, d, state.fading + c);
  }
}

// Computes out = fading out + numerators v.
template <class A>
HWY_INLINE void addValues(const HeadTile& tile, std::size_t firstKey, std::size_t keys,
                          const TileState& state) {
  const std::size_t units = (keys + A::kUnitValues - 1) / A::kUnitValues;
  const Unit* const v = tile.v + firstKey / A::kUnitValues * tile.vStride;
  const bool first = firstKey == 0;
  for (std::size_t column = 0; column < tile.d; column += kPanelColumns) {
    withVectors(std::min(tile.d - column, kPanelColumns) / kLanes, [&](auto vectors) MPM_VIT_ATTR {
      constexpr std::size_t C = vectors();
      const F d;
      inTiles<A, C>(tile.queries, [&](auto count, std::size_t row) MPM_VIT_ATTR {
        constexpr std::size_t R = count();
        float* const out = state.out + row * tile.d + column;
        const auto add = [&](const auto& sum) MPM_VIT_ATTR {
          for (std::size_t r = 0; r < R; ++r) {
            const Vec fading = hn::Set(d, state.fading[row + r]);
            for (std::size_t c = 0; c < C; ++c) {
              float* const at = out + r * tile.d + c * kLanes;
              hn::Store(first ? sum[r][c] : hn::MulAdd(hn::Load(d, at), fading, sum[r][c]), d, at);
            }
          }
        };
        multiplyRows<A, R, C, true>(state.numerators + row, kTileRows, v + column, tile.vStride,
                                    units, add);
      });
    });
  }
}

// Implements Kernels::addColumns. Each of a row's vectors gives a vector of columns.
inline void addTakenColumns(const float* from, const std::int32_t* columns, const float* shares,
                            bool isAdded, std::size_t rows, float* out) {
  const F d;
  constexpr std::size_t kVectors = kColumnStep / kLanes;
  for (std::size_t c = 0; c < kVectors; ++c) {
    decltype(hn::SetTableIndices(d, columns)) places[kVectors];
    Vec shared[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      std::int32_t place[kLanes] = {};
      float share[kLanes] = {};
      for (std::size_t r = 0; r < kLanes; ++r) {
        const auto column = static_cast<std::size_t>(columns[c * kLanes + r]);
        if (column / kLanes != v) continue;
        place[r] = static_cast<std::int32_t>(column % kLanes);
        share[r] = shares[c * kLanes + r];
      }
      places[v] = hn::SetTableIndices(d, place);
      shared[v] = hn::LoadU(d, share);
    }
    for (std::size_t row = 0; row < rows; ++row) {
      float* const to = out + row * kColumnStep + c * kLanes;
      Vec sum = isAdded ? hn::Load(d, to) : hn::Zero(d);
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Vec source = hn::Load(d, from + row * kColumnStep + v * kLanes);
        const Vec value = hn::Mul(hn::TableLookupLanes(source, places[v]), shared[v]);
        sum = hn::Add(sum, hn::IfThenElseZero(hn::Ne(shared[v], hn::Zero(d)), value));
      }
      hn::Store(sum, d, to);
    }
  }
}

template <class A, class Logits = UnitLogits<A>>
void attend(const HeadTile& tile) {
  const F d;
  const TileState state(tile);
  const std::size_t width = (tile.queries + kLanes - 1) / kLanes * kLanes;
  Logits::takeQueries(tile, width, state.q);
  std::fill_n(state.largest, width, kNone);
  std::fill_n(state.sums, width, 0.0F);
  std::fill_n(state.out, tile.keys == 0 ? tile.queries * tile.d : 0, 0.0F);
  alignas(64) float before[kTileRows];
  for (std::size_t key = 0; key < tile.keys; key += kChunkKeys) {
    const std::size_t keys = std::min(kChunkKeys, tile.keys - key);
    std::copy_n(state.largest, width, before);
    makeLogits<A, Logits>(tile, key, keys, width, state);
    makeNumerators<A>(keys, width, before, state);
    addValues<A>(tile, key, keys, state);
  }
  for (std::size_t r = 0; r < tile.queries; ++r) {
    const Vec factor = hn::Set(d, state.largest[r] == kNone ? 0 : 1 / state.sums[r]);
    for (std::size_t c = 0; c < tile.d; c += kLanes * kRowVectors) {
      Vec v[kRowVectors];
      for (std::size_t i = 0; i < kRowVectors; ++i) {
        v[i] = hn::Mul(hn::Load(d, state.out + r * tile.d + c + i * kLanes), factor);
      }
      A::storeRow(v, tile.out + r * tile.outStride + c / A::kUnitValues);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

#endif  // include guard
