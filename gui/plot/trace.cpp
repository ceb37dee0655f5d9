// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/trace.h"

#include <algorithm>

namespace mpm::gui {
namespace {

class Tracer {
 public:
  Tracer(const SeriesPyramid& series, const TimeScale& scale) : series_(series), scale_(scale) {}

  std::vector<TraceStretch> trace() {
    const bool narrow = static_cast<double>(series_.lengthMs()) < scale_.msPerColumn();
    for (const SeriesPyramid::Run& run : series_.runs()) {
      std::size_t begin = series_.firstFrom(run, scale_.fromUtcMs);
      std::size_t end = series_.firstFrom(run, scale_.toUtcMs);
      // The neighbours outside, where they are joined to what is inside or reach into it.
      const bool joined = begin < run.end && series_.followsOn(begin);
      if (begin > run.begin && (joined || reachesIn(begin - 1))) --begin;
      if (end > run.begin && end < run.end && series_.followsOn(end)) ++end;
      if (begin == end) continue;
      stretches_.emplace_back();
      if (narrow)
        byColumns(run, begin, end);
      else
        byBuckets(begin, end);
    }
    std::erase_if(stretches_, [](const TraceStretch& stretch) { return stretch.empty(); });
    return std::move(stretches_);
  }

 private:
  bool reachesIn(std::size_t place) const {
    return series_.buckets()[place].startUtcMs + series_.lengthMs() > scale_.fromUtcMs;
  }

  void byBuckets(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const PlotBucket& bucket = series_.buckets()[i];
      if (!series_.followsOn(i)) stretches_.emplace_back();
      if (bucket.count == 0) continue;
      stretches_.back().push_back({scale_.columnOf(bucket.startUtcMs + series_.lengthMs() / 2),
                                   bucket.mean, bucket.smallest, bucket.largest});
    }
  }

  void byColumns(const SeriesPyramid::Run& run, std::size_t begin, std::size_t end) {
    int column = begin < run.end && series_.buckets()[begin].startUtcMs < scale_.fromUtcMs ? -1 : 0;
    while (begin < end) {
      std::size_t next =
          column < scale_.columns ? series_.firstFrom(run, scale_.utcMsOf(column + 1.0)) : end;
      next = std::clamp(next, begin, end);
      if (next == begin) {
        // Empty columns are jumped over: a long gap has thousands.
        const double there = scale_.columnOf(series_.buckets()[begin].startUtcMs) - 1;
        column = std::max(column + 1, static_cast<int>(std::min<double>(there, scale_.columns)));
        continue;
      }
      const Extent extent = series_.over(begin, next);
      if (!series_.followsOn(begin)) stretches_.emplace_back();
      if (extent.count > 0)
        stretches_.back().push_back({column + 0.5, extent.mean(), extent.smallest, extent.largest});
      begin = next;
      ++column;
    }
  }

  const SeriesPyramid& series_;
  const TimeScale& scale_;
  std::vector<TraceStretch> stretches_;
};

}  // namespace

std::vector<TraceStretch> traceOf(const SeriesPyramid& series, const TimeScale& scale) {
  return Tracer(series, scale).trace();
}

}  // namespace mpm::gui
