// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "gui/plot/series_source.h"

namespace mpm::gui {

/// Many buckets in one.
struct Extent {
  std::uint64_t count = 0;
  double sum = 0;
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();

  void add(const Extent& other);
  double mean() const { return sum / static_cast<double>(count); }  ///< NaN of none
};

/// Buckets of one metric and resolution, and what groups of 8, 64, 512, ... of them are together:
/// a stretch of n buckets is summed up in about 14 log8(n) steps. Never changed once it was made.
class SeriesPyramid {
 public:
  /// Buckets whose times rise, all of one era: neighbours in time.
  struct Run {
    std::size_t begin = 0, end = 0;
    std::int32_t era = 0;
  };

  SeriesPyramid() = default;
  /// In any order of eras; where time goes back within an era a new run begins.
  SeriesPyramid(std::vector<PlotBucket> buckets, std::int64_t lengthMs);

  const std::vector<PlotBucket>& buckets() const { return buckets_; }
  const std::vector<Run>& runs() const { return runs_; }
  std::int64_t lengthMs() const { return lengthMs_; }

  /// The first of the run's that begins at `utcMs` or later; run.end where none does.
  std::size_t firstFrom(const Run& run, std::int64_t utcMs) const;
  /// Of begin <= bucket < end.
  Extent over(std::size_t begin, std::size_t end) const;
  /// Whether both have values and nothing is missing between a bucket and the one before it.
  bool followsOn(std::size_t place) const;

 private:
  std::int64_t lengthMs_ = 1000;
  std::vector<PlotBucket> buckets_;
  std::vector<Run> runs_;
  std::vector<std::vector<Extent>> levels_;  // [0]: groups of 8
};

}  // namespace mpm::gui
