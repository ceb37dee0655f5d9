// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "merge/scope.h"
#include "mpm/rows.h"
#include "processor/float_buffer.h"

namespace mpm::merge {

constexpr std::int32_t kNoMatch = -1;

/// The most similar other row that the scope allows.
struct Match {
  std::int32_t row = kNoMatch;
  float similarity = -std::numeric_limits<float>::infinity();
};

/// The reference says also how clear the choice was: the best similarity of any third row.
struct ReferenceMatch {
  std::int32_t row = kNoMatch;
  double similarity = -std::numeric_limits<double>::infinity();
  double runnerUp = -std::numeric_limits<double>::infinity();
};

/// b(i) = argmax over j != i of cos(x_i, x_j). Rows that are not finite match nothing and are
/// matched by nothing. Equal similarities: the lowest row. kNoMatch where no row is allowed.
void matchReference(ConstRows tokens, const Scope& scope, ReferenceMatch* best);

/// Scratch memory of matchCpu: grows to what the largest call needed, then stays.
struct MatchScratch {
  Slots slots;
  std::vector<Match> best;  ///< of each slot
  processor::FloatBuffer panelsA, panelsB;
  std::vector<float> zeroRow;
  std::vector<Extent> runExtents;
  std::vector<std::pair<std::size_t, std::size_t>> tasks;  ///< pairs of runs

  std::size_t bytes() const;
};

/// The same on all cores. N x N similarities never exist: tiles of 32 x 32 are made in
/// float32, each once for both its rows and its columns, and reduced at once. Sums run over
/// chunks of 128 features, which keeps a similarity of rows with features of both signs, as norms
/// leave them, within 5e-7 of the exact one, and that of any rows within 2.5e-6.
/// The result does not depend on the number of threads.
void matchCpu(ConstRows tokens, const Scope& scope, MatchScratch& scratch, Match* best);

}  // namespace mpm::merge
