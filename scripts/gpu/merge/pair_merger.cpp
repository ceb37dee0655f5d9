// SPDX-License-Identifier: Apache-2.0
// mpm/merge.h by the references alone, for a build without Highway. Its callers there, operators
// and runner, have checked what they hand over.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "merge/match.h"
#include "merge/scope.h"
#include "merge/steps.h"
#include "mpm/merge.h"

namespace mpm {

struct PairMerger::Impl {};

PairMerger::PairMerger() = default;
PairMerger::~PairMerger() = default;
PairMerger::PairMerger(PairMerger&&) noexcept = default;
PairMerger& PairMerger::operator=(PairMerger&&) noexcept = default;
std::size_t PairMerger::scratchBytes() const { return 0; }

std::size_t PairMerger::merge(ConstRows tokens, const MergeOptions& options, std::int32_t* map,
                              std::size_t originals, Rows merged, float* similarity) {
  if (merge::firstOutside(map, originals, tokens.count) != originals)
    throw std::invalid_argument("the map points outside the live rows");
  merge::Scope scope;
  merge::buildScope(options, map, originals, tokens.count, scope);
  std::vector<merge::ReferenceMatch> matches(tokens.count);
  merge::matchReference(tokens, scope, matches.data());
  std::vector<std::int32_t> best, partner(tokens.count), clusterOf(tokens.count);
  for (const merge::ReferenceMatch& match : matches) best.push_back(match.row);
  std::vector<merge::Cluster> clusters(tokens.count);
  merge::pairMutual(best.data(), tokens.count, partner.data());
  const std::size_t count =
      merge::compact(partner.data(), tokens.count, clusterOf.data(), clusters.data());
  merge::averageReference(tokens, clusters.data(), count, merged);
  for (std::size_t i = 0; similarity != nullptr && i < originals; ++i) {
    const merge::ReferenceMatch& match = matches[static_cast<std::size_t>(map[i])];
    similarity[i] = match.row == merge::kNoMatch ? std::numeric_limits<float>::quiet_NaN()
                                                 : static_cast<float>(match.similarity);
  }
  merge::composeMap(map, originals, clusterOf.data());
  return count;
}

void restore(ConstRows live, const std::int32_t* map, Rows full) {
  merge::restoreReference(live, map, full);
}

void multiplicities(const std::int32_t* map, std::size_t originals, std::int32_t* sizes,
                    std::size_t liveRows) {
  std::fill_n(sizes, liveRows, 0);
  for (std::size_t i = 0; i < originals; ++i) ++sizes[map[i]];
}

}  // namespace mpm
