// SPDX-License-Identifier: Apache-2.0
// The public API of this folder: checks arguments once, then calls the steps.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "merge/match.h"
#include "merge/merger.h"
#include "merge/steps.h"
#include "mpm/merge.h"
#include "processor/simd.h"

namespace mpm {
namespace {

using std::to_string;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

void checkMap(const std::int32_t* map, std::size_t originals, std::size_t liveRows) {
  const std::size_t bad = merge::firstOutside(map, originals, liveRows);
  if (bad == originals) return;
  refuse("map[" + to_string(bad) + "] = " + to_string(map[bad]) + " points outside the " +
         to_string(liveRows) + " live rows");
}

void checkTokens(ConstRows tokens, Rows merged) {
  if (tokens.count > 0 && tokens.dim == 0) refuse("tokens have 0 features; expected at least 1");
  if (tokens.stride < tokens.dim || merged.stride < merged.dim) {
    refuse("the stride of rows is smaller than their length");
  }
  if (tokens.count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    refuse(to_string(tokens.count) + " tokens are more than an int32 counts");
  }
  if (merged.count < tokens.count || merged.dim != tokens.dim) {
    refuse("merged has room for " + to_string(merged.count) + " x " + to_string(merged.dim) +
           "; expected " + to_string(tokens.count) + " x " + to_string(tokens.dim));
  }
}

// Throws unless every live row stands for at least one original token. With a window or regions it
// takes its place and label from there.
void checkOriginals(const std::int32_t* map, std::size_t originals, std::size_t liveRows,
                    std::vector<bool>& seen) {
  seen.assign(liveRows, false);
  for (std::size_t i = 0; i < originals; ++i) seen[static_cast<std::size_t>(map[i])] = true;
  const auto missing = std::find(seen.begin(), seen.end(), false);
  if (missing != seen.end()) {
    refuse("no original token maps to live row " + to_string(missing - seen.begin()) +
           "; a window or regions need one for each");
  }
}

void checkOptions(const MergeOptions& options, std::size_t originals) {
  if (options.window < 0) {
    refuse("window = " + to_string(options.window) + "; expected 0 (no limit) or more");
  }
  if (options.window == 0) return;
  const bool grid = options.gridHeight > 0 && options.gridWidth > 0;
  const auto cells = static_cast<std::size_t>(std::max(options.gridHeight, 0)) *
                     static_cast<std::size_t>(std::max(options.gridWidth, 0));
  if (!grid || cells != originals) {
    refuse("window = " + to_string(options.window) + " needs a grid of the " +
           to_string(originals) + " original tokens, but the grid is " +
           to_string(options.gridHeight) + " x " + to_string(options.gridWidth));
  }
}

// Reports each token's similarity. `map` is the one from before the merge.
template <class M>
void tellSimilarity(const std::vector<M>& matches, const std::int32_t* map, std::size_t originals,
                    float* similarity) {
  for (std::size_t i = 0; i < originals; ++i) {
    const M& match = matches[static_cast<std::size_t>(map[i])];
    similarity[i] = match.row == merge::kNoMatch ? std::numeric_limits<float>::quiet_NaN()
                                                 : static_cast<float>(match.similarity);
  }
}

}  // namespace

struct PairMerger::Impl {
  merge::MergeScratch scratch;
  std::vector<bool> seen;
};

PairMerger::PairMerger() : impl_(std::make_unique<Impl>()) {}
PairMerger::~PairMerger() = default;
PairMerger::PairMerger(PairMerger&&) noexcept = default;
PairMerger& PairMerger::operator=(PairMerger&&) noexcept = default;

std::size_t PairMerger::merge(ConstRows tokens, const MergeOptions& options, std::int32_t* map,
                              std::size_t originals, Rows merged, float* similarity) {
  checkTokens(tokens, merged);
  checkOptions(options, originals);
  checkMap(map, originals, tokens.count);
  merge::MergeScratch& scratch = impl_->scratch;
  if (options.window > 0 || options.regions != nullptr) {
    checkOriginals(map, originals, tokens.count, impl_->seen);
  }
  merge::buildScope(options, map, originals, tokens.count, scratch.scope);
  const bool reference = processor::simdChoice().reference;
  const std::size_t count = reference ? merge::mergePairsReference(tokens, scratch, merged)
                                      : merge::mergePairsCpu(tokens, scratch, merged);
  if (similarity != nullptr && reference) {
    tellSimilarity(scratch.referenceMatches, map, originals, similarity);
  } else if (similarity != nullptr) {
    tellSimilarity(scratch.matches, map, originals, similarity);
  }
  merge::composeMap(map, originals, scratch.clusterOf.data());
  return count;
}

std::size_t PairMerger::scratchBytes() const { return impl_->scratch.bytes(); }

void restore(ConstRows live, const std::int32_t* map, Rows full) {
  if (full.dim != live.dim) {
    refuse("restored rows have " + to_string(full.dim) + " features; expected " +
           to_string(live.dim));
  }
  checkMap(map, full.count, live.count);
  processor::simdChoice().reference ? merge::restoreReference(live, map, full)
                                    : merge::restoreCpu(live, map, full);
}

void multiplicities(const std::int32_t* map, std::size_t originals, std::int32_t* sizes,
                    std::size_t liveRows) {
  checkMap(map, originals, liveRows);
  std::fill_n(sizes, liveRows, 0);
  for (std::size_t i = 0; i < originals; ++i) ++sizes[map[i]];
}

}  // namespace mpm
