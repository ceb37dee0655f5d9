// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/series_pyramid.h"

#include <algorithm>
#include <cmath>

namespace mpm::gui {
namespace {

constexpr std::size_t kGroup = 8;

Extent extentOf(const PlotBucket& bucket) {
  if (bucket.count == 0) return {};
  return {bucket.count, bucket.mean * bucket.count, bucket.smallest, bucket.largest};
}

/// What is not a number is not drawn, whoever made it.
bool sound(const PlotBucket& bucket) {
  return std::isfinite(bucket.mean) && std::isfinite(bucket.smallest) &&
         std::isfinite(bucket.largest);
}

}  // namespace

void Extent::add(const Extent& other) {
  count += other.count;
  sum += other.sum;
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
}

SeriesPyramid::SeriesPyramid(std::vector<PlotBucket> buckets, std::int64_t lengthMs)
    : lengthMs_(lengthMs), buckets_(std::move(buckets)) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    PlotBucket& bucket = buckets_[i];
    if (bucket.count > 0 && !sound(bucket)) bucket.count = 0;
    if (i == 0 || bucket.era != runs_.back().era || bucket.startUtcMs <= buckets_[i - 1].startUtcMs)
      runs_.push_back({i, i, bucket.era});
    runs_.back().end = i + 1;
  }
  std::vector<Extent> level((buckets_.size() + kGroup - 1) / kGroup);
  for (std::size_t i = 0; i < buckets_.size(); ++i) level[i / kGroup].add(extentOf(buckets_[i]));
  while (level.size() > 1) {
    std::vector<Extent> above((level.size() + kGroup - 1) / kGroup);
    for (std::size_t i = 0; i < level.size(); ++i) above[i / kGroup].add(level[i]);
    levels_.push_back(std::move(level));
    level = std::move(above);
  }
}

std::size_t SeriesPyramid::firstFrom(const Run& run, std::int64_t utcMs) const {
  const auto begin = buckets_.begin();
  const auto found = std::lower_bound(
      begin + static_cast<std::ptrdiff_t>(run.begin), begin + static_cast<std::ptrdiff_t>(run.end),
      utcMs, [](const PlotBucket& bucket, std::int64_t at) { return bucket.startUtcMs < at; });
  return static_cast<std::size_t>(found - begin);
}

Extent SeriesPyramid::over(std::size_t begin, std::size_t end) const {
  Extent all;
  const auto bucketsTo = [&](std::size_t& from, std::size_t to) {
    for (; from < to; ++from) all.add(extentOf(buckets_[from]));
  };
  // What does not fill a group is added at each level, from both ends, on the way up.
  const auto up = [](std::size_t place) { return (place + kGroup - 1) / kGroup; };
  if (levels_.empty() || up(begin) >= end / kGroup) {
    bucketsTo(begin, end);
    return all;
  }
  bucketsTo(begin, up(begin) * kGroup);
  for (std::size_t from = end / kGroup * kGroup; from < end; ++from)
    all.add(extentOf(buckets_[from]));
  begin /= kGroup;
  end /= kGroup;
  for (std::size_t i = 0; begin < end; ++i) {
    const std::vector<Extent>& level = levels_[i];
    if (i + 1 == levels_.size() || up(begin) >= end / kGroup) {
      for (; begin < end; ++begin) all.add(level[begin]);
      return all;
    }
    for (; begin < up(begin) * kGroup; ++begin) all.add(level[begin]);
    for (std::size_t from = end / kGroup * kGroup; from < end; ++from) all.add(level[from]);
    begin /= kGroup;
    end /= kGroup;
  }
  return all;
}

bool SeriesPyramid::followsOn(std::size_t place) const {
  if (place == 0 || place >= buckets_.size()) return false;
  const PlotBucket& before = buckets_[place - 1];
  const PlotBucket& bucket = buckets_[place];
  return before.count > 0 && bucket.count > 0 && before.era == bucket.era &&
         bucket.startUtcMs > before.startUtcMs &&
         bucket.startUtcMs - before.startUtcMs < lengthMs_ + lengthMs_ / 2;
}

}  // namespace mpm::gui
