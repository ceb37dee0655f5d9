// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "gui/plot/series_source.h"

namespace mpm::gui {

/// Many buckets in one.
struct Extent {
  std::uint64_t count = 0;
  double sum = 0;
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();

  void add(const Extent& other) {
    count += other.count;
    sum += other.sum;
    smallest = std::min(smallest, other.smallest);
    largest = std::max(largest, other.largest);
  }

  double mean() const { return sum / static_cast<double>(count); }  ///< NaN of none
};

/// Buckets of one metric and resolution, and what groups of 32 of them are together, so that a year
/// of minutes is summed up in 16,000 steps. Never changed once it was made.
class GroupedSeries {
 public:
  /// Buckets whose times rise, all of one era: neighbours in time.
  struct Run {
    std::size_t begin = 0, end = 0;
    std::int32_t era = 0;
  };

  GroupedSeries() = default;
  /// In any order of eras; where time goes back within an era a new run begins. What is not a
  /// number is not drawn, whoever made it.
  GroupedSeries(std::vector<PlotBucket> buckets, std::int64_t lengthMs)
      : lengthMs_(lengthMs),
        buckets_(std::move(buckets)),
        groups_((buckets_.size() + kGroup - 1) / kGroup) {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      PlotBucket& bucket = buckets_[i];
      if (!std::isfinite(bucket.mean) || !std::isfinite(bucket.smallest) ||
          !std::isfinite(bucket.largest))
        bucket.count = 0;
      if (i == 0 || bucket.era != runs_.back().era ||
          bucket.startUtcMs <= buckets_[i - 1].startUtcMs)
        runs_.push_back({i, i, bucket.era});
      runs_.back().end = i + 1;
      groups_[i / kGroup].add(extentOf(i));
    }
  }

  const std::vector<PlotBucket>& buckets() const { return buckets_; }
  const std::vector<Run>& runs() const { return runs_; }
  std::int64_t lengthMs() const { return lengthMs_; }

  /// The first of the run's that begins at `utcMs` or later; run.end where none does.
  std::size_t firstFrom(const Run& run, std::int64_t utcMs) const {
    const auto begin = buckets_.begin();
    const auto found = std::lower_bound(
        begin + static_cast<std::ptrdiff_t>(run.begin),
        begin + static_cast<std::ptrdiff_t>(run.end), utcMs,
        [](const PlotBucket& bucket, std::int64_t at) { return bucket.startUtcMs < at; });
    return static_cast<std::size_t>(found - begin);
  }

  /// Of begin <= bucket < end.
  Extent over(std::size_t begin, std::size_t end) const {
    Extent all;
    while (begin < end) {
      const bool whole = begin % kGroup == 0 && begin + kGroup <= end;
      all.add(whole ? groups_[begin / kGroup] : extentOf(begin));
      begin += whole ? kGroup : 1;
    }
    return all;
  }

  /// Whether both have values and nothing is missing between a bucket and the one before it.
  bool followsOn(std::size_t place) const {
    if (place == 0 || place >= buckets_.size()) return false;
    const PlotBucket& before = buckets_[place - 1];
    const PlotBucket& bucket = buckets_[place];
    return before.count > 0 && bucket.count > 0 && before.era == bucket.era &&
           bucket.startUtcMs > before.startUtcMs &&
           bucket.startUtcMs - before.startUtcMs < lengthMs_ + lengthMs_ / 2;
  }

 private:
  static constexpr std::size_t kGroup = 32;

  Extent extentOf(std::size_t place) const {
    const PlotBucket& bucket = buckets_[place];
    if (bucket.count == 0) return {};
    return {bucket.count, bucket.mean * bucket.count, bucket.smallest, bucket.largest};
  }

  std::int64_t lengthMs_ = 1000;
  std::vector<PlotBucket> buckets_;
  std::vector<Run> runs_;
  std::vector<Extent> groups_;
};

}  // namespace mpm::gui
