// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "merge/match.h"
#include "merge/scope.h"
#include "mpm/rows.h"

namespace mpm::merge {

/// Writes panel p as unit rows, feature by feature: feature k of slot s goes to values[k * 32 + s].
/// Slots of rows that are not finite become empty; empty slots are filled with zeros. Sets
/// slots.full[p] to whether none is empty. `zeroRow` holds tokens.dim zeros.
void packPanel(ConstRows tokens, const float* zeroRow, Slots& slots, std::size_t p, float* values);

/// Consecutive packed panels [first, last); `values` points at panel `first`.
struct PanelRun {
  const float* values = nullptr;
  std::size_t first = 0, last = 0;

  std::size_t slotCount() const { return (last - first) * kPanelSlots; }
};

/// Limits the panels of a run so that their best candidates stay in the first-level cache.
constexpr std::size_t kRunPanels = 8;

/// Features in one chunk of a sum. Short chunks keep partial sums, and so rounding errors, small.
/// Two panels' chunks and the tile fit in a first-level cache together.
constexpr std::size_t kChunk = 128;

/// Tells whether `a` is the better match: more similar, or equally similar and the lower row.
inline bool better(const Match& a, const Match& b) {
  return a.similarity > b.similarity || (a.similarity == b.similarity && a.row < b.row);
}

/// Computes the similarity of every allowed pair of a slot in run `a` and a slot in run `b` once.
/// Keeps the best match of each slot s: bestA[s] in run a, bestB[s] in run b. Both are only
/// written. The runs are the same, or `a` lies before `b`.
void matchRuns(const Slots& slots, std::size_t dim, const PanelRun& a, const PanelRun& b,
               Match* bestA, Match* bestB);

}  // namespace mpm::merge
