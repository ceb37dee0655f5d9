// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QObject>
#include <QPainter>
#include <QPalette>
#include <QString>
#include <QStringList>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "gui/plot/axes.h"
#include "monitor/light/light_state.h"
#include "monitor/statistics/statistics.h"

namespace mpm::gui {

/// One bucket of one metric.
struct PlotBucket {
  std::int64_t startUtcMs = 0;
  std::int32_t era = 0;
  std::int64_t run = 0;  ///< of the source: figures of two may differ for other reasons than time
  monitor::LightState light = monitor::LightState::transition;
  std::uint32_t count = 0;  ///< values; 0: a gap in the line, though the light is known
  double mean = std::numeric_limits<double>::quiet_NaN();
  double smallest = std::numeric_limits<double>::quiet_NaN();
  double largest = std::numeric_limits<double>::quiet_NaN();
};

/// Returns `metric` of a run's bucket; count 0 if the bucket lacks it or it is not finite.
PlotBucket plotBucket(const monitor::Bucket& bucket, std::size_t metric, std::int64_t run = 0);

/// Supplies a TimePlot's lines. It is called in the GUI's thread and never waits: missing data is
/// fetched elsewhere.
class SeriesSource : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// Returns the buckets that begin at from <= t < to, as they were opened: run by run, era by era,
  /// each rising. These are the available ones; `changed` follows if more are on their way. An
  /// unknown metric has none.
  virtual std::vector<PlotBucket> buckets(const QString& metric, monitor::Resolution resolution,
                                          std::int64_t fromUtcMs, std::int64_t toUtcMs) = 0;

  /// Returns the start of the oldest bucket that `buckets` would return, now or later; std::nullopt
  /// if none.
  virtual std::optional<std::int64_t> oldestUtcMs(monitor::Resolution resolution) const = 0;

 signals:
  /// Buckets in from <= t < to are new or different: a new frame, or fetched data.
  void changed(qint64 fromUtcMs, qint64 toUtcMs);
};

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

/// Immutable buckets of one metric and resolution.
class Series {
 public:
  /// Buckets of one era whose times rise: neighbours in time.
  struct Run {
    std::size_t begin = 0, end = 0;
    std::int32_t era = 0;
  };

  /// Takes eras in any order; a new run begins where time goes back within an era. Values that are
  /// not numbers are not drawn.
  Series(std::vector<PlotBucket> buckets, std::int64_t lengthMs);

  const std::vector<PlotBucket>& buckets() const { return buckets_; }
  const std::vector<Run>& runs() const { return runs_; }
  std::int64_t lengthMs() const { return lengthMs_; }

  /// Returns the run's first bucket from `utcMs` on; run.end if none.
  std::size_t firstFrom(const Run& run, std::int64_t utcMs) const;
  /// Sums up begin <= bucket < end.
  Extent over(std::size_t begin, std::size_t end) const;
  /// Tells whether a bucket and the one before have values, with nothing missing between them.
  bool followsOn(std::size_t place) const;

 private:
  std::int64_t lengthMs_;
  std::vector<PlotBucket> buckets_;
  std::vector<Run> runs_;
};

struct LightSpan {
  std::int64_t fromUtcMs = 0, toUtcMs = 0;
  monitor::LightState light = monitor::LightState::transition;
};

/// A stretch of time of several metrics, ready to be drawn. Shared and immutable: a table may still
/// show it after the plot has moved on.
struct FetchedSeries {
  monitor::Resolution resolution = monitor::Resolution::second;
  std::int64_t fromUtcMs = 0, toUtcMs = 0;
  std::vector<Series> lines;
  std::vector<LightSpan> light;  ///< of the first line's buckets; none of whole days
};

/// Fetches with the same length again on both sides, so that panning seldom has to ask.
std::shared_ptr<const FetchedSeries> fetchSeries(SeriesSource& source, const QStringList& metrics,
                                                 monitor::Resolution resolution,
                                                 std::int64_t fromUtcMs, std::int64_t toUtcMs);

/// Returns the coarsest resolution with a bucket for every other column. If that does not reach
/// back far enough, returns a coarser one that does.
monitor::Resolution resolutionFor(const SeriesSource& source, const TimeScale& scale);

/// Both draw into `plot`, of which `scale` has a column for each device pixel. drawLight draws each
/// column's light, for some states with a pattern. With days of only a few columns it draws the
/// light of whole weeks: stripes that fine would hide how nights grow.
void drawLight(QPainter& painter, const std::vector<LightSpan>& spans, const QRect& plot,
               TimeScale scale, const QPalette& palette);

/// Draws a line through the means in a band from smallest to largest, a point per bucket, or per
/// column if buckets are narrower. A single bucket is a point. The line breaks at missing buckets
/// and between eras, and continues beyond an end if the series does.
void drawTrace(QPainter& painter, const Series& series, const QRect& plot, const TimeScale& scale,
               const ValueAxis& axis, const QColor& colour);

}  // namespace mpm::gui
