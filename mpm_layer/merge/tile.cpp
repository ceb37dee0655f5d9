// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "merge/tile.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "merge/panels.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::merge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, 16>;
using I = hn::RebindToSigned<F>;
using FloatVec = hn::Vec<F>;
using IntVec = hn::Vec<I>;
constexpr std::size_t kLanes = hn::MaxLanes(F());
constexpr float kNone = -std::numeric_limits<float>::infinity();

// Rows of a register block. With two vectors of columns that makes 16 accumulators where there are
// 32 registers, and 12 where there are 16.
constexpr std::size_t kBlockRows = (HWY_MAX_BYTES == 64 || HWY_ARCH_ARM) ? 8 : 6;
constexpr std::size_t kBlockColumns = 2 * kLanes;

// ---- Products -------------------------------------------------------------------------------

// Computes tile[r][c] (+)= sum over one chunk of a[k][r] * b[k][c], for kRows rows and
// kBlockColumns columns. a and b are feature-major panels; the tile is 32 x 32.
template <std::size_t kRows>
HWY_INLINE void multiplyBlock(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
                              std::size_t features, bool firstChunk, float* HWY_RESTRICT tile) {
  const F d;
  FloatVec sum[kRows][2];
  for (std::size_t r = 0; r < kRows; ++r) sum[r][0] = sum[r][1] = hn::Zero(d);
  for (std::size_t k = 0; k < features; ++k) {
    const FloatVec b0 = hn::Load(d, b + k * kPanelSlots);
    const FloatVec b1 = hn::Load(d, b + k * kPanelSlots + kLanes);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r) {
      const FloatVec x = hn::Set(d, a[k * kPanelSlots + r]);
      sum[r][0] = hn::MulAdd(x, b0, sum[r][0]);
      sum[r][1] = hn::MulAdd(x, b1, sum[r][1]);
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    float* out = tile + r * kPanelSlots;
    if (!firstChunk) {
      sum[r][0] = hn::Add(sum[r][0], hn::Load(d, out));
      sum[r][1] = hn::Add(sum[r][1], hn::Load(d, out + kLanes));
    }
    hn::Store(sum[r][0], d, out);
    hn::Store(sum[r][1], d, out + kLanes);
  }
}

// Computes the whole tile; on the diagonal only the blocks that reach above it.
HWY_INLINE void multiplyTile(const float* a, const float* b, std::size_t dim, bool diagonal,
                             float* tile) {
  for (std::size_t k = 0; k < dim; k += kChunk) {
    const std::size_t features = std::min(kChunk, dim - k);
    const float* ak = a + k * kPanelSlots;
    const float* bk = b + k * kPanelSlots;
    for (std::size_t c = 0; c < kPanelSlots; c += kBlockColumns) {
      const std::size_t rows = diagonal ? std::min(c + kBlockColumns, kPanelSlots) : kPanelSlots;
      std::size_t r = 0;
      for (; r + kBlockRows <= rows; r += kBlockRows) {
        multiplyBlock<kBlockRows>(ak + r, bk + c, features, k == 0, tile + r * kPanelSlots + c);
      }
      for (; r < rows; r += 2) {
        multiplyBlock<2>(ak + r, bk + c, features, k == 0, tile + r * kPanelSlots + c);
      }
    }
  }
}

// ---- Reduction ------------------------------------------------------------------------------

// Running best of run a's rows and run b's columns. Rows are kept lane by lane: lane l has seen
// columns l, l + kLanes, ...
struct Running {
  HWY_ALIGN float rowBest[kRunPanels * kPanelSlots][kLanes];
  HWY_ALIGN std::int32_t rowMatch[kRunPanels * kPanelSlots][kLanes];
  HWY_ALIGN float columnBest[kRunPanels * kPanelSlots];
  HWY_ALIGN std::int32_t columnMatch[kRunPanels * kPanelSlots];
};

struct Best {
  FloatVec similarity;
  IntVec row;
};

HWY_INLINE Best loadBest(const float* similarity, const std::int32_t* row) {
  return {hn::Load(F(), similarity), hn::Load(I(), row)};
}

HWY_INLINE void storeBest(const Best& best, float* similarity, std::int32_t* row) {
  hn::Store(best.similarity, F(), similarity);
  hn::Store(best.row, I(), row);
}

// Takes candidates with ascending rows, so the first of equals stays.
HWY_INLINE void offer(Best& best, FloatVec s, IntVec row) {
  const auto wins = hn::Gt(s, best.similarity);
  best.similarity = hn::IfThenElse(wins, s, best.similarity);
  best.row = hn::IfThenElse(hn::RebindMask(I(), wins), row, best.row);
}

// Takes candidates in any order, of which some are not allowed.
HWY_INLINE void offerAllowed(Best& best, FloatVec s, IntVec row, hn::Mask<I> allowed) {
  const auto ties = hn::And(hn::RebindMask(I(), hn::Eq(s, best.similarity)), hn::Lt(row, best.row));
  const auto more = hn::Or(hn::RebindMask(I(), hn::Gt(s, best.similarity)), ties);
  const auto wins = hn::And(more, allowed);
  best.similarity = hn::IfThenElse(hn::RebindMask(F(), wins), s, best.similarity);
  best.row = hn::IfThenElse(wins, row, best.row);
}

// Reduces a tile in which every pair is allowed and slots follow the rows.
void reduceFreeTile(const float* tile, const std::int32_t* rowsA, const std::int32_t* rowsB,
                    std::size_t slotA, std::size_t slotB, Running& running) {
  for (std::size_t c = 0; c < kPanelSlots; c += kLanes) {
    const IntVec columnRow = hn::LoadU(I(), rowsB + c);
    Best column = loadBest(running.columnBest + slotB + c, running.columnMatch + slotB + c);
    for (std::size_t r = 0; r < kPanelSlots; ++r) {
      const FloatVec s = hn::Load(F(), tile + r * kPanelSlots + c);
      offer(column, s, hn::Set(I(), rowsA[r]));
      Best row = loadBest(running.rowBest[slotA + r], running.rowMatch[slotA + r]);
      offer(row, s, columnRow);
      storeBest(row, running.rowBest[slotA + r], running.rowMatch[slotA + r]);
    }
    storeBest(column, running.columnBest + slotB + c, running.columnMatch + slotB + c);
  }
}

HWY_INLINE hn::Mask<I> within(const std::int32_t* columns, std::int32_t row, std::int32_t reach) {
  const I d;
  return hn::Not(
      hn::Gt(hn::Abs(hn::Sub(hn::LoadU(d, columns), hn::Set(d, row))), hn::Set(d, reach)));
}

// Reduces any tile by checking every pair. firstA and firstB are the panels' first slots.
void reduceCheckedTile(const float* tile, const Slots& slots, std::size_t firstA,
                       std::size_t firstB, std::size_t slotA, std::size_t slotB, Running& running) {
  const I d;
  for (std::size_t c = 0; c < kPanelSlots; c += kLanes) {
    const std::size_t b = firstB + c;
    const IntVec columnRow = hn::LoadU(d, slots.row.data() + b);
    const IntVec columnRegion = hn::LoadU(d, slots.region.data() + b);
    const auto used = hn::Ne(columnRow, hn::Set(d, kEmptySlot));
    Best column = loadBest(running.columnBest + slotB + c, running.columnMatch + slotB + c);
    for (std::size_t r = 0; r < kPanelSlots; ++r) {
      const std::size_t a = firstA + r;
      if (slots.row[a] == kEmptySlot) continue;
      // A pair on the diagonal belongs to the lower of its two slots.
      const std::int32_t lastPast = a < b ? -1 : static_cast<std::int32_t>(a - b);
      auto allowed = hn::And(used, hn::Gt(hn::Iota(d, 0), hn::Set(d, lastPast)));
      allowed = hn::And(allowed, hn::Eq(columnRegion, hn::Set(d, slots.region[a])));
      allowed = hn::And(allowed, within(slots.y.data() + b, slots.y[a], slots.window));
      allowed = hn::And(allowed, within(slots.x.data() + b, slots.x[a], slots.window));
      const FloatVec s = hn::Load(F(), tile + r * kPanelSlots + c);
      offerAllowed(column, s, hn::Set(d, slots.row[a]), allowed);
      Best row = loadBest(running.rowBest[slotA + r], running.rowMatch[slotA + r]);
      offerAllowed(row, s, columnRow, allowed);
      storeBest(row, running.rowBest[slotA + r], running.rowMatch[slotA + r]);
    }
    storeBest(column, running.columnBest + slotB + c, running.columnMatch + slotB + c);
  }
}

void reset(std::size_t slotsA, std::size_t slotsB, Running& running) {
  std::fill_n(running.rowBest[0], slotsA * kLanes, kNone);
  std::fill_n(running.rowMatch[0], slotsA * kLanes, kNoMatch);
  std::fill_n(running.columnBest, slotsB, kNone);
  std::fill_n(running.columnMatch, slotsB, kNoMatch);
}

void finish(std::size_t slotsA, std::size_t slotsB, const Running& running, Match* bestA,
            Match* bestB) {
  for (std::size_t s = 0; s < slotsA; ++s) {
    const Best lanes = loadBest(running.rowBest[s], running.rowMatch[s]);
    const FloatVec most = hn::MaxOfLanes(F(), lanes.similarity);
    const auto tied = hn::RebindMask(I(), hn::Eq(lanes.similarity, most));
    const IntVec rows =
        hn::IfThenElse(tied, lanes.row, hn::Set(I(), hwy::LimitsMax<std::int32_t>()));
    bestA[s] = {hn::GetLane(hn::MinOfLanes(I(), rows)), hn::GetLane(most)};
  }
  for (std::size_t s = 0; s < slotsB; ++s) {
    bestB[s] = {running.columnMatch[s], running.columnBest[s]};
  }
}

void matchRunsSimd(const Slots& slots, std::size_t dim, const PanelRun& runA, const PanelRun& runB,
                   Match* bestA, Match* bestB) {
  Running running;
  HWY_ALIGN float tile[kPanelSlots * kPanelSlots];
  reset(runA.slotCount(), runB.slotCount(), running);
  for (std::size_t q = runB.first; q < runB.last; ++q) {
    const float* b = runB.values + (q - runB.first) * dim * kPanelSlots;
    for (std::size_t p = runA.first; p < std::min(runA.last, q + 1); ++p) {
      if (!mayPair(slots.panels[p], slots.panels[q], slots.window)) continue;
      const float* a = runA.values + (p - runA.first) * dim * kPanelSlots;
      const std::size_t slotA = (p - runA.first) * kPanelSlots;
      const std::size_t slotB = (q - runB.first) * kPanelSlots;
      multiplyTile(a, b, dim, p == q, tile);
      if (slots.ascending && p < q && slots.full[p] != 0 && slots.full[q] != 0) {
        reduceFreeTile(tile, slots.row.data() + p * kPanelSlots, slots.row.data() + q * kPanelSlots,
                       slotA, slotB, running);
      } else {
        reduceCheckedTile(tile, slots, p * kPanelSlots, q * kPanelSlots, slotA, slotB, running);
      }
    }
  }
  finish(runA.slotCount(), runB.slotCount(), running, bestA, bestB);
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::merge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::merge {

HWY_EXPORT(matchRunsSimd);

void matchRuns(const Slots& slots, std::size_t dim, const PanelRun& a, const PanelRun& b,
               Match* bestA, Match* bestB) {
  HWY_DYNAMIC_DISPATCH(matchRunsSimd)(slots, dim, a, b, bestA, bestB);
}

}  // namespace mpm::merge
#endif  // HWY_ONCE
