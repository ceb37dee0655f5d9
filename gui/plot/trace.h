// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QPainter>
#include <QPalette>
#include <QStringList>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gui/plot/axes.h"
#include "gui/plot/grouped_series.h"
#include "monitor/light/light_state.h"

namespace mpm::gui {

/// A stretch of time on `columns` columns of pixels.
struct TimeScale {
  std::int64_t fromUtcMs = 0, toUtcMs = 1;  ///< from < to
  int columns = 1;

  double msPerColumn() const { return static_cast<double>(toUtcMs - fromUtcMs) / columns; }

  double columnOf(std::int64_t utcMs) const {
    return static_cast<double>(utcMs - fromUtcMs) / msPerColumn();
  }

  std::int64_t utcMsOf(double column) const {
    return fromUtcMs + static_cast<std::int64_t>(column * msPerColumn());
  }
};

struct TracePoint {
  double column = 0;  ///< the middle of a bucket, or of a column with several
  double mean = 0, smallest = 0, largest = 0;
};

/// Points that a line joins.
using TraceStretch = std::vector<TracePoint>;

/// What to draw of a series: a point for each bucket, or one for each column where buckets are
/// narrower than columns. No more points than columns and a few, whatever the number of buckets. A
/// new stretch begins wherever a bucket or more is missing, and with each era. Where a line goes on
/// beyond an end, the next point there is among them.
std::vector<TraceStretch> traceOf(const GroupedSeries& series, const TimeScale& scale);

struct LightSpan {
  std::int64_t fromUtcMs = 0, toUtcMs = 0;
  monitor::LightState light = monitor::LightState::transition;
};

/// Neighbouring buckets of the same state together; gaps between buckets stay gaps.
std::vector<LightSpan> lightSpans(const std::vector<PlotBucket>& buckets, std::int64_t lengthMs);

/// How much of each column was spent in each state: shares that sum to at most 1. Where a day is
/// only a few columns wide, of the week around it: stripes that fine would hide how nights grow.
using LightShares = std::array<float, monitor::kLightStates>;
std::vector<LightShares> lightByColumn(const std::vector<LightSpan>& spans, const TimeScale& scale);

/// A stretch of time of several metrics, ready to be drawn. Shared and never changed: a table may
/// still show it when the plot has moved on.
struct FetchedSeries {
  monitor::Resolution resolution = monitor::Resolution::second;
  std::int64_t fromUtcMs = 0, toUtcMs = 0;
  std::vector<GroupedSeries> lines;
  std::vector<LightSpan> light;  ///< of the first line's buckets; none of whole days

  bool covers(std::int64_t from, std::int64_t to) const {
    return fromUtcMs <= from && to <= toUtcMs;
  }
};

/// From the source, with as much again on both sides, so that panning seldom has to ask.
std::shared_ptr<const FetchedSeries> fetchSeries(SeriesSource& source, const QStringList& metrics,
                                                 monitor::Resolution resolution,
                                                 std::int64_t fromUtcMs, std::int64_t toUtcMs);

/// What to ask for: the coarsest resolution that has a bucket for every other column, and where it
/// does not reach back far enough a coarser one that does.
monitor::Resolution resolutionFor(const SeriesSource& source, const TimeScale& scale);

/// Both draw into `plot`, of which `scale` has a column for each pixel of the device. The light of
/// each column; infrared and no signal have a pattern besides.
void drawLight(QPainter& painter, const std::vector<LightSpan>& spans, const QRect& plot,
               const TimeScale& scale, const QPalette& palette);

/// A line through the means in a band from smallest to largest. A bucket alone is a point.
void drawTrace(QPainter& painter, const GroupedSeries& series, const QRect& plot,
               const TimeScale& scale, const ValueAxis& axis, const QColor& colour);

}  // namespace mpm::gui
