// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <memory>
#include <vector>

#include "gui/plot/grouped_series.h"
#include "gui/plot/trace.h"

namespace mpm::gui {

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

}  // namespace mpm::gui
