// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "merge/match.h"
#include "merge/scope.h"
#include "merge/steps.h"
#include "mpm/rows.h"

namespace mpm::merge {

/// Everything that one merge computes on the way. It grows and never shrinks.
struct MergeScratch {
  Scope scope;
  std::vector<Match> matches;
  std::vector<ReferenceMatch> referenceMatches;
  std::vector<std::int32_t> best, partner, clusterOf;
  std::vector<Cluster> clusters;
  MatchScratch matching;

  std::size_t bytes() const;
};

/// Runs the paper's algorithm once on checked arguments: normalise, match, pair, compact, average.
/// Uses scratch.scope and fills clusterOf and clusters. Returns N'.
std::size_t mergePairsReference(ConstRows tokens, MergeScratch& scratch, Rows merged);
std::size_t mergePairsCpu(ConstRows tokens, MergeScratch& scratch, Rows merged);

}  // namespace mpm::merge
