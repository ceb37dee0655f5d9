// SPDX-License-Identifier: Apache-2.0
#include "merge/merger.h"

#include "merge/match.h"
#include "merge/steps.h"

namespace mpm::merge {
namespace {

std::size_t pairAndCompact(std::size_t rows, MergeScratch& scratch) {
  scratch.partner.resize(rows);
  scratch.clusterOf.resize(rows);
  scratch.clusters.resize(rows);
  pairMutual(scratch.best.data(), rows, scratch.partner.data());
  return compact(scratch.partner.data(), rows, scratch.clusterOf.data(), scratch.clusters.data());
}

template <class T>
std::size_t bytesOf(const std::vector<T>& v) {
  return v.capacity() * sizeof(T);
}

}  // namespace

std::size_t MergeScratch::bytes() const {
  return bytesOf(scope.y) + bytesOf(scope.x) + bytesOf(scope.region) + bytesOf(matches) +
         bytesOf(referenceMatches) + bytesOf(best) + bytesOf(partner) + bytesOf(clusterOf) +
         bytesOf(clusters) + matching.bytes();
}

std::size_t mergePairsReference(ConstRows tokens, MergeScratch& scratch, Rows merged) {
  scratch.referenceMatches.resize(tokens.count);
  scratch.best.resize(tokens.count);
  matchReference(tokens, scratch.scope, scratch.referenceMatches.data());
  for (std::size_t i = 0; i < tokens.count; ++i) scratch.best[i] = scratch.referenceMatches[i].row;
  const std::size_t count = pairAndCompact(tokens.count, scratch);
  averageReference(tokens, scratch.clusters.data(), count, merged);
  return count;
}

std::size_t mergePairsCpu(ConstRows tokens, MergeScratch& scratch, Rows merged) {
  scratch.matches.resize(tokens.count);
  scratch.best.resize(tokens.count);
  matchCpu(tokens, scratch.scope, scratch.matching, scratch.matches.data());
  for (std::size_t i = 0; i < tokens.count; ++i) scratch.best[i] = scratch.matches[i].row;
  const std::size_t count = pairAndCompact(tokens.count, scratch);
  averageCpu(tokens, scratch.clusters.data(), count, merged);
  return count;
}

}  // namespace mpm::merge
