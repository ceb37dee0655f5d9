// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "merge/match.h"
#include "merge/scope.h"
#include "mpm/rows.h"

namespace mpm::merge {

/// Writes panel p as unit rows, feature by feature: feature k of slot s goes to
/// values[k * 32 + s]. Slots of rows that are not finite become empty, and empty slots are filled
/// with zeros. Says in slots.full whether none is empty. zeroRow: tokens.dim zeros.
void packPanel(ConstRows tokens, const float* zeroRow, Slots& slots, std::size_t p, float* values);

/// Neighbouring packed panels [first, last); `values` points at panel `first`.
struct PanelRun {
  const float* values = nullptr;
  std::size_t first = 0, last = 0;

  std::size_t slotCount() const { return (last - first) * kPanelSlots; }
};

/// Panels in a run, at most: their best candidates stay in the first-level cache.
constexpr std::size_t kRunPanels = 8;

/// Features in one chunk of a sum. Short chunks keep the partial sums small, and with them
/// the rounding error; the two panels' chunks and the tile fit in a first-level cache together.
constexpr std::size_t kChunk = 128;

/// Whether `a` is the better match: more similar, or as similar and the lower row.
inline bool better(const Match& a, const Match& b) {
  return a.similarity > b.similarity || (a.similarity == b.similarity && a.row < b.row);
}

/// Computes the similarity of every allowed pair with one slot in run `a` and one in run `b`,
/// each pair once, and keeps for each slot its best: bestA[s] for slot s of run a, bestB[s] of
/// run b. Both are written, not read. The runs are the same, or `a` lies before `b`.
void matchRuns(const Slots& slots, std::size_t dim, const PanelRun& a, const PanelRun& b,
               Match* bestA, Match* bestB);

}  // namespace mpm::merge
