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

/// `metric` of a run's bucket; a count of 0 where the bucket has none or it is not finite.
PlotBucket plotBucket(const monitor::Bucket& bucket, std::size_t metric, std::int64_t run = 0);

/// Gives a TimePlot its lines. Called in the GUI's thread, and never waits: what is not at hand is
/// fetched elsewhere.
class SeriesSource : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// Those that begin at from <= t < to, in the order in which they were opened: runs one after
  /// the other, in each its eras, rising in each. What is at hand; where more is on its way,
  /// `changed` follows. An unknown metric has none.
  virtual std::vector<PlotBucket> buckets(const QString& metric, monitor::Resolution resolution,
                                          std::int64_t fromUtcMs, std::int64_t toUtcMs) = 0;

  /// Start of the oldest bucket that `buckets` would give, now or later; nothing where there is
  /// none.
  virtual std::optional<std::int64_t> oldestUtcMs(monitor::Resolution resolution) const = 0;

 signals:
  /// Buckets in from <= t < to are new or other than before: a new frame, or what was fetched.
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

/// Buckets of one metric and resolution. Never changed once it was made.
class Series {
 public:
  /// Buckets whose times rise, all of one era: neighbours in time.
  struct Run {
    std::size_t begin = 0, end = 0;
    std::int32_t era = 0;
  };

  /// In any order of eras; where time goes back within an era a new run begins. What is not a
  /// number is not drawn, whoever made it.
  Series(std::vector<PlotBucket> buckets, std::int64_t lengthMs);

  const std::vector<PlotBucket>& buckets() const { return buckets_; }
  const std::vector<Run>& runs() const { return runs_; }
  std::int64_t lengthMs() const { return lengthMs_; }

  /// The first of the run's that begins at `utcMs` or later; run.end where none does.
  std::size_t firstFrom(const Run& run, std::int64_t utcMs) const;
  /// Sums up begin <= bucket < end.
  Extent over(std::size_t begin, std::size_t end) const;
  /// Whether both have values and nothing is missing between a bucket and the one before it.
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

/// A stretch of time of several metrics, ready to be drawn. Shared and never changed: a table may
/// still show it when the plot has moved on.
struct FetchedSeries {
  monitor::Resolution resolution = monitor::Resolution::second;
  std::int64_t fromUtcMs = 0, toUtcMs = 0;
  std::vector<Series> lines;
  std::vector<LightSpan> light;  ///< of the first line's buckets; none of whole days
};

/// From the source, with as much again on both sides, so that panning seldom has to ask.
std::shared_ptr<const FetchedSeries> fetchSeries(SeriesSource& source, const QStringList& metrics,
                                                 monitor::Resolution resolution,
                                                 std::int64_t fromUtcMs, std::int64_t toUtcMs);

/// What to ask for: the coarsest resolution that has a bucket for every other column, and where it
/// does not reach back far enough a coarser one that does.
monitor::Resolution resolutionFor(const SeriesSource& source, const TimeScale& scale);

/// Both draw into `plot`, of which `scale` has a column for each pixel of the device. The light of
/// each column; some states have a pattern besides. Where a day is only a few columns
/// wide, the light of whole weeks: stripes that fine would hide how nights grow.
void drawLight(QPainter& painter, const std::vector<LightSpan>& spans, const QRect& plot,
               TimeScale scale, const QPalette& palette);

/// A line through the means in a band from smallest to largest: a point for each bucket, or one
/// for each column where buckets are narrower. A bucket alone is a point. The line is open wherever
/// a bucket or more is missing, and between eras, and goes on beyond an end where the series does.
void drawTrace(QPainter& painter, const Series& series, const QRect& plot, const TimeScale& scale,
               const ValueAxis& axis, const QColor& colour);

}  // namespace mpm::gui
