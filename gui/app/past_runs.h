// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "monitor/statistics/comparison.h"
#include "monitor/statistics/series.h"

namespace mpm::gui {

enum ComparedMetric { kRows, kRowsBefore, kNetworkMs };
constexpr std::array kComparedMetrics{"live_rows", "rows.0", "ms.network"};
constexpr std::array kComparedResolutions{monitor::Resolution::second, monitor::Resolution::minute,
                                          monitor::Resolution::hour};
/// Of each resolution, with these metrics.
using BucketLists = std::array<std::deque<monitor::Bucket>, kComparedResolutions.size()>;

/// What is watched, as the runs of its record have it.
struct WatchedRun {
  QString record;  ///< a file; empty: none
  QString source;  ///< its name
  QString model, modelHash, precision, device;
  std::int64_t begunUtcMs = 0;  ///< no run that began before is this one
};

/// A run that the record has.
struct PastRun {
  std::int64_t begunUtcMs = 0;
  QString model, modelHash, precision, device;
  monitor::Way first;
  std::vector<monitor::Event> events;  ///< that change the way
  BucketLists buckets;                 ///< empty where model, precision or device are others
};

/// All of the source, the oldest first: of seconds what the engine remembers as well, of minutes a
/// week, of hours a year. Throws as monitor::RecordReader does.
std::vector<PastRun> readPastRuns(const WatchedRun& wanted);

}  // namespace mpm::gui
