// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/trace.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mpm::gui {
namespace {

class Tracer {
 public:
  Tracer(const GroupedSeries& series, const TimeScale& scale) : series_(series), scale_(scale) {}

  std::vector<TraceStretch> trace() {
    const bool narrow = static_cast<double>(series_.lengthMs()) < scale_.msPerColumn();
    for (const GroupedSeries::Run& run : series_.runs()) {
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

  void byColumns(const GroupedSeries::Run& run, std::size_t begin, std::size_t end) {
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

  const GroupedSeries& series_;
  const TimeScale& scale_;
  std::vector<TraceStretch> stretches_;
};

constexpr double kDayMs = 86'400'000, kNarrowestDay = 8;  // in columns

/// The mean over `width` columns around each; columns without light stay so.
std::vector<LightShares> blurred(const std::vector<LightShares>& shares, int width) {
  const int columns = static_cast<int>(shares.size());
  std::vector<std::array<double, monitor::kLightStates>> sums(shares.size() + 1);
  for (std::size_t i = 0; i < shares.size(); ++i)
    for (std::size_t state = 0; state < monitor::kLightStates; ++state)
      sums[i + 1][state] = sums[i][state] + shares[i][state];
  std::vector<LightShares> calm(shares.size(), LightShares{});
  for (int i = 0; i < columns; ++i) {
    const LightShares& own = shares[static_cast<std::size_t>(i)];
    const double covered = std::accumulate(own.begin(), own.end(), 0.0);
    if (covered <= 0) continue;
    const auto from = static_cast<std::size_t>(std::max(0, i - width / 2));
    const auto to = static_cast<std::size_t>(std::min(columns, i - width / 2 + width));
    double all = 0;
    for (std::size_t state = 0; state < monitor::kLightStates; ++state)
      all += sums[to][state] - sums[from][state];
    for (std::size_t state = 0; state < monitor::kLightStates; ++state)
      calm[static_cast<std::size_t>(i)][state] =
          static_cast<float>((sums[to][state] - sums[from][state]) / all * covered);
  }
  return calm;
}

}  // namespace

std::vector<TraceStretch> traceOf(const GroupedSeries& series, const TimeScale& scale) {
  return Tracer(series, scale).trace();
}

std::vector<LightSpan> lightSpans(const std::vector<PlotBucket>& buckets, std::int64_t lengthMs) {
  std::vector<LightSpan> spans;
  for (const PlotBucket& bucket : buckets) {
    const std::int64_t end = bucket.startUtcMs + lengthMs;
    if (!spans.empty() && spans.back().light == bucket.light &&
        spans.back().toUtcMs == bucket.startUtcMs)
      spans.back().toUtcMs = end;
    else
      spans.push_back({bucket.startUtcMs, end, bucket.light});
  }
  return spans;
}

std::vector<LightShares> lightByColumn(const std::vector<LightSpan>& spans,
                                       const TimeScale& scale) {
  std::vector<LightShares> shares(static_cast<std::size_t>(scale.columns), LightShares{});
  for (const LightSpan& span : spans) {
    const double from = std::max(scale.columnOf(span.fromUtcMs), 0.0);
    const double to = std::min<double>(scale.columnOf(span.toUtcMs), scale.columns);
    if (from >= to) continue;
    for (int column = static_cast<int>(from); column < to; ++column) {
      const double part = std::min<double>(to, column + 1) - std::max<double>(from, column);
      shares[static_cast<std::size_t>(column)][static_cast<std::size_t>(span.light)] +=
          static_cast<float>(part);
    }
  }
  // A clock that was set back shows the same time twice.
  for (LightShares& column : shares) {
    const float sum = std::accumulate(column.begin(), column.end(), 0.0F);
    if (sum > 1)
      for (float& share : column) share /= sum;
  }
  const double day = kDayMs / scale.msPerColumn();
  if (day >= kNarrowestDay) return shares;
  return blurred(shares, std::max(1, static_cast<int>(std::lround(7 * day))));
}

}  // namespace mpm::gui
