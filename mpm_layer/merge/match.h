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

/// Also says how clear the choice was: `runnerUp` is the best similarity of any third row.
struct ReferenceMatch {
  std::int32_t row = kNoMatch;
  double similarity = -std::numeric_limits<double>::infinity();
  double runnerUp = -std::numeric_limits<double>::infinity();
};

/// Computes b(i) = argmax over j != i of cos(x_i, x_j). Ties go to the lowest row. Rows that are
/// not finite neither match nor are matched. Gives kNoMatch where no row is allowed.
void matchReference(ConstRows tokens, const Scope& scope, ReferenceMatch* best);

/// Scratch memory of matchCpu. It grows to the size of the largest call and stays there.
struct MatchScratch {
  Slots slots;
  std::vector<Match> best;  ///< of each slot
  processor::FloatBuffer panelsA, panelsB;
  std::vector<float> zeroRow;
  std::vector<Extent> runExtents;
  std::vector<std::pair<std::size_t, std::size_t>> tasks;  ///< pairs of runs

  std::size_t bytes() const;
};

/// Does the same on all cores and never holds N x N similarities. Each tile of 32 x 32 is computed
/// once in float32, for its rows and its columns, and reduced at once. Sums run over chunks of 128
/// features. A similarity is therefore within 2.5e-6 of the exact one, and within 5e-7 where
/// features have both signs, as a norm leaves them. The result does not depend on the number of
/// threads.
void matchCpu(ConstRows tokens, const Scope& scope, MatchScratch& scratch, Match* best);

}  // namespace mpm::merge
