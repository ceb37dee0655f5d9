// SPDX-License-Identifier: Apache-2.0
#include "segment/remembered.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace mpm {
namespace {

// A frame that costs more than this share of a full frame is computed in full.
constexpr double kWorth = 0.95;
// Patches that a full frame merged are recomputed one by one within this many frames.
constexpr int kMadeGood = 24;
// Each frame recomputes one in this many patches, those with the least certain labels.
constexpr int kDoubted = 256;
// Share of the time for full frames that are computed to compare.
constexpr double kAuditShare = 0.02;
// A label below this probability in a full frame may well change tomorrow.
constexpr float kSure = 0.8F;
// Agreement below the first narrows the tolerances; above the second it widens them again.
constexpr double kTooLittle = 0.99, kEnough = 0.995;
// Over the last kTurnsLately turns with a certain new label, more than the share kStale of changed
// labels is too much. The picture as a whole is then taken for something else.
constexpr double kTurnsLately = 100, kStale = 0.03;
constexpr float kNarrower = 0.8F, kWider = 1.1F, kNarrowest = 0.5F;

struct Best {
  std::size_t label = 0;
  float probability = 0;
};

Best bestOf(const float* scores, std::size_t classes) {
  const auto label = static_cast<std::size_t>(std::max_element(scores, scores + classes) - scores);
  float sum = 0;
  for (std::size_t k = 0; k < classes; ++k) sum += std::exp(scores[k] - scores[label]);
  return {label, 1 / sum};
}

}  // namespace

SceneMemory::Impl::Impl(std::uint64_t segmenter, const segment::ScoreNet& net, int patch,
                        const segment::Colours& colours)
    : segmenter_(segmenter),
      patches_(static_cast<std::size_t>(net.grid().area())),
      classes_(static_cast<std::size_t>(net.classes())),
      watch_(patch, net.grid().width, net.grid().height, colours),
      computed_(patches_, 0),
      scores_(patches_ * classes_),
      doubt_(patches_, 0),
      isMerged_(patches_, 0) {}

void SceneMemory::Impl::forget() {
  isFilled_ = false;
  net_.forget();
  watch_.forget();
  saved_ = stale_ = 0;
  strictness_ = 1;
}

std::size_t SceneMemory::Impl::bytes() const {
  return net_.bytes() + watch_.bytes() + (scores_.size() + doubt_.size()) * sizeof(float) +
         computed_.size() * sizeof(std::int64_t) + isFresh_.size() + isMerged_.size() +
         labels.total() * labels.elemSize() + confidence.total() * confidence.elemSize();
}

void SceneMemory::Impl::begin(const Setting& setting, const float* planes) {
  if (setting_ != setting) forget();
  setting_ = setting;
  ++frame_;
  watch_.setStrictness(strictness_);
  watch_.look(planes);
  choose();
  report_ = {static_cast<int>(patches_), static_cast<int>(isFull_ ? patches_ : fresh_.size()), 0,
             std::nullopt};
  if (isFull_) {
    net_.expectAll(patches_);
  } else {
    net_.expectFresh(fresh_);
  }
}

// Adds unchanged patches whose turn it is. First come those computed longest ago, lowest first, so
// that none gets too old. Then come the least certain of those that a full frame merged, so that
// the cost of merging is soon recovered. If none is left, the least certain of all come.
void SceneMemory::Impl::takeTurns(std::vector<std::int32_t> rest) {
  const auto at = [](std::int32_t patch) { return static_cast<std::size_t>(patch); };
  const auto take = [&](std::vector<std::int32_t>& from, int frames, const auto& rank) {
    const auto every = static_cast<std::size_t>(frames);
    const std::size_t turns = std::min(from.size(), (patches_ + every - 1) / every);
    const auto end = from.begin() + static_cast<std::ptrdiff_t>(turns);
    std::partial_sort(from.begin(), end, from.end(), [&](std::int32_t a, std::int32_t b) {
      return std::make_pair(rank(at(a)), a) < std::make_pair(rank(at(b)), b);
    });
    fresh_.insert(fresh_.end(), from.begin(), end);
    from.erase(from.begin(), end);
  };
  take(rest, kOldest, [&](std::size_t patch) { return computed_[patch]; });
  std::vector<std::int32_t> merged;
  std::copy_if(rest.begin(), rest.end(), std::back_inserter(merged),
               [&](std::int32_t patch) { return isMerged_[at(patch)] != 0; });
  if (!merged.empty())
    return take(merged, kMadeGood, [&](std::size_t patch) { return -doubt_[patch]; });
  take(rest, kDoubted, [&](std::size_t patch) {
    return -doubt_[patch] * static_cast<float>(frame_ - computed_[patch]);
  });
}

void SceneMemory::Impl::choose() {
  fresh_.clear();
  isFull_ = !isFilled_;
  isAudit_ = false;
  const bool isAsked = std::exchange(isAsked_, false);
  isFull_ = isFull_ || stale_ > kStale;
  if (isFull_) return;
  std::vector<std::int32_t> rest;
  for (std::size_t patch = 0; patch < patches_; ++patch) {
    (watch_.isChanged(patch) ? fresh_ : rest).push_back(static_cast<std::int32_t>(patch));
  }
  takeTurns(std::move(rest));
  std::sort(fresh_.begin(), fresh_.end());
  isFresh_.assign(patches_, 0);
  for (const std::int32_t patch : fresh_) isFresh_[static_cast<std::size_t>(patch)] = 1;

  const double cost = net_.costOf(fresh_.size()), all = net_.costOfAll();
  saved_ += kAuditShare * cost;
  isFull_ = cost > kWorth * all;
  isAudit_ = !isFull_ && (isAsked || saved_ >= all);
  isFull_ = isFull_ || isAudit_;
  if (isFull_) saved_ = 0;
}

segment::NetScores SceneMemory::Impl::end(const segment::NetScores& scores) {
  if (isAudit_ && compare(scores)) return keepChanged(scores);
  if (isFull_) {
    keepAll(scores);
    return scores;
  }
  const float* from = scores.grid.scores;
  for (const std::int32_t fresh : fresh_) {
    const auto patch = static_cast<std::size_t>(fresh);
    if (takes(patch, from))
      std::copy_n(from, classes_, scores_.begin() + static_cast<std::ptrdiff_t>(patch * classes_));
    from += classes_;
    noteComputed(patch, false);
  }
  return remembered();
}

// Tells whether a patch takes its new scores. If it looks unchanged, an uncertain new label does
// not count, or labels would flicker with each turn. A certain one tells how old the rest is.
bool SceneMemory::Impl::takes(std::size_t patch, const float* scores) {
  if (isMerged_[patch] != 0 || watch_.isChanged(patch)) return true;
  const Best now = bestOf(scores, classes_);
  const bool isOther = now.label != bestOf(scores_.data() + patch * classes_, classes_).label;
  const bool isSure = now.probability > kSure;
  if (isSure) stale_ += ((isOther ? 1 : 0) - stale_) / kTurnsLately;
  return isSure || !isOther;
}

segment::NetScores SceneMemory::Impl::remembered() {
  report_.age = static_cast<int>(frame_ - *std::min_element(computed_.begin(), computed_.end()));
  segment::NetScores all;
  all.grid = {scores_.data(), segment::ScoreGrid::Layout::rows, nullptr};
  all.values = scores_.size();
  return all;
}

void SceneMemory::Impl::noteComputed(std::size_t patch, bool isMerged) {
  computed_[patch] = frame_;
  isMerged_[patch] = isMerged ? 1 : 0;
  doubt_[patch] = 1 - bestOf(scores_.data() + patch * classes_, classes_).probability;
  watch_.keep(patch);
}

void SceneMemory::Impl::keepAll(const segment::NetScores& scores) {
  stale_ = 0;
  isFresh_.assign(patches_, 1);
  keepFresh(scores);
  isFilled_ = true;
}

// Keeps a full frame's results for the fresh patches.
void SceneMemory::Impl::keepFresh(const segment::NetScores& scores) {
  std::vector<std::int32_t> behind(patches_, 0);
  for (const std::int32_t row : scores.map) ++behind[static_cast<std::size_t>(row)];
  for (std::size_t patch = 0; patch < patches_; ++patch) {
    if (isFresh_[patch] == 0) continue;
    const auto row = static_cast<std::size_t>(scores.map[patch]);
    std::copy_n(scores.at(patch, classes_), classes_,
                scores_.begin() + static_cast<std::ptrdiff_t>(patch * classes_));
    noteComputed(patch, behind[row] > 1);
  }
}

// Handles an audit that agrees: unchanged patches keep their scores, computed from unmerged tokens.
// The audit's may come from merged ones, and labels would flicker with each audit.
segment::NetScores SceneMemory::Impl::keepChanged(const segment::NetScores& scores) {
  keepFresh(scores);
  segment::NetScores all = remembered();
  all.map = scores.map;
  return all;
}

// Compares only patches that would have been remembered. Returns whether the full frame agrees.
bool SceneMemory::Impl::compare(const segment::NetScores& scores) {
  std::size_t sure = 0, same = 0;
  for (std::size_t patch = 0; patch < patches_; ++patch) {
    if (isFresh_[patch] != 0) continue;
    const Best full = bestOf(scores.at(patch, classes_), classes_);
    if (!(full.probability > kSure)) continue;
    ++sure;
    if (bestOf(scores_.data() + patch * classes_, classes_).label == full.label) ++same;
  }
  if (sure == 0) return false;
  const double agreement = static_cast<double>(same) / static_cast<double>(sure);
  report_.agreement = agreement;
  if (agreement < kTooLittle) strictness_ = std::max(kNarrowest, strictness_ * kNarrower);
  if (agreement > kEnough) strictness_ = std::min(1.0F, strictness_ * kWider);
  return agreement >= kTooLittle;
}

void SceneMemory::Impl::putAges(std::int32_t* ages) const {
  for (std::size_t patch = 0; patch < patches_; ++patch) {
    ages[patch] = static_cast<std::int32_t>(frame_ - computed_[patch]);
  }
}

SceneMemory::SceneMemory() = default;
SceneMemory::SceneMemory(SceneMemory&&) noexcept = default;
SceneMemory& SceneMemory::operator=(SceneMemory&&) noexcept = default;
SceneMemory::~SceneMemory() = default;

void SceneMemory::forget() {
  if (impl_) impl_->forget();
}

void SceneMemory::audit() {
  if (impl_) impl_->audit();  // the first frame is full
}

std::size_t SceneMemory::bytes() const { return impl_ ? impl_->bytes() : 0; }

}  // namespace mpm
