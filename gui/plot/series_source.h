// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

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
inline PlotBucket plotBucket(const monitor::Bucket& bucket, std::size_t metric,
                             std::int64_t run = 0) {
  PlotBucket made;
  made.run = run;
  made.startUtcMs = bucket.startUtcMs;
  made.era = bucket.era;
  made.light = bucket.light();
  if (metric >= bucket.tallies.size()) return made;
  const monitor::Tally& tally = bucket.tallies[metric];
  if (tally.count == 0 || !std::isfinite(tally.smallest) || !std::isfinite(tally.largest) ||
      !std::isfinite(tally.mean()))
    return made;
  made.count = tally.count;
  made.mean = tally.mean();
  made.smallest = tally.smallest;
  made.largest = tally.largest;
  return made;
}

/// Where a TimePlot's lines come from. Called in the GUI's thread, and never waits: what is not at
/// hand is fetched elsewhere.
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

}  // namespace mpm::gui
