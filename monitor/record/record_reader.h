// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "monitor/light/light_state.h"
#include "monitor/record/record.h"
#include "monitor/statistics/comparison.h"
#include "monitor/statistics/metrics.h"
#include "monitor/statistics/statistics.h"
#include "monitor/statistics/zones.h"
#include "mpm/schedule.h"

namespace mpm::monitor {

struct RecordedRun {
  std::int64_t id = 0;
  RunFacts facts;
};

struct RecordedSnapshot {
  Moment taken;
  std::string reason;
  std::string labels, overlay, clip, picture, mergeMap;  ///< paths; empty: it has none
  std::string facts;                                     ///< JSON
};

/// Reads a record, also while it is being written, of this or an older schema; each call sees what
/// is committed then, and finds the new record where the old one was set aside. Every function
/// throws std::runtime_error, one sentence. Not from two threads at once.
class RecordReader {
 public:
  explicit RecordReader(const std::string& path);
  ~RecordReader();
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  std::vector<std::string> sources() const;
  std::vector<RecordedRun> runs(const std::string& source) const;  ///< oldest first
  /// Of all runs of a source, with the metrics asked for (those that a run lacks are empty
  /// tallies), from <= start < to: by run, in each by era and start. Here and below `run`: of this
  /// one alone; 0: of all.
  std::vector<Bucket> buckets(const std::string& source, Resolution resolution,
                              std::int64_t fromUtcMs, std::int64_t toUtcMs,
                              const std::vector<std::string>& metrics, std::int64_t run = 0) const;
  /// The same, each with its run's id, some at a time, so that years take no more memory than
  /// hours: by start, era and run. Runs that begin meanwhile are left out.
  void eachBucket(const std::string& source, Resolution resolution, std::int64_t fromUtcMs,
                  std::int64_t toUtcMs, const std::vector<std::string>& metrics,
                  const std::function<void(std::int64_t run, const Bucket&)>& show) const;
  /// When the first bucket at or behind a time begins, of any run and era of a source.
  std::optional<std::int64_t> firstBucket(const std::string& source, Resolution resolution,
                                          std::int64_t fromUtcMs) const;
  /// As they were written; those of one run by era and time.
  std::vector<Event> events(const std::string& source, std::int64_t fromUtcMs, std::int64_t toUtcMs,
                            std::int64_t run = 0) const;
  std::vector<RecordedSnapshot> snapshots(const std::string& source, std::int64_t fromUtcMs,
                                          std::int64_t toUtcMs) const;
  /// What the camera of a source usually showed lately, where that is not older than from
  /// `fromUtcMs`; empty: that is not known.
  std::string view(const std::string& source, std::int64_t fromUtcMs) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A run of a record, with all that its figures depend on beside what is seen.
struct PastRun {
  std::int64_t id = 0, begunUtcMs = 0;
  std::string model, modelHash, precision, device;  ///< device: empty for the processor
  std::vector<Zone> zones;
  std::optional<Ground> ground;
  bool replay = false;  ///< of a file: its times are places in that, the same every time
  int views = 0;        ///< how often the camera had been put up anew by then
  Way first;
  std::vector<Event> events;  ///< that change the way

  /// Computed alike, device and precision, too, of a camera that was not put up anew meanwhile.
  bool hasModelOf(const PastRun& other) const;
  /// Whether the times of both tell their days and nights apart: a replay goes with itself alone.
  bool hasTimesOf(const PastRun& other) const;
  /// Whether a metric is of the same part of the picture, and ground, in both: a zone that was
  /// drawn anew has its old name. Records of earlier versions do not say where it was, and are
  /// believed.
  bool hasPlaceOf(const PastRun& other, const MetricName& metric) const;
  Way last(std::int64_t beforeUtcMs = std::numeric_limits<std::int64_t>::max()) const;
};

/// What is known of a run from its facts alone: not its number, nor what befell it.
PastRun pastRun(const RunFacts& facts);
/// All of a source, the oldest first.
std::vector<PastRun> pastRuns(const RecordReader& record, const std::string& source);
/// Of a run's buckets, with this metric alone, those in which it came about in the way `wanted`.
std::deque<Bucket> bucketsOf(const RecordReader& record, const std::string& source,
                             const PastRun& run, const Way& wanted, Resolution resolution,
                             std::int64_t fromUtcMs, std::int64_t toUtcMs,
                             const std::string& metric);

/// A snapshot of a record that has a picture, with what it says of itself.
struct DayPicture {
  Moment taken;
  std::string reason;
  LightState light = LightState::transition;
  /// Of the picture, before merging and after; NaN where that is not known, or none merged.
  double tokens = std::numeric_limits<double>::quiet_NaN(), liveTokens = tokens;
  std::string modelHash;
  Schedule schedule;  ///< that it was segmented with
  /// Paths. `picture`: with the labels over it, or, where there is none such, `frame`, which is
  /// empty where the frame itself was not kept.
  std::string picture, frame, labels, mergeMap;
};

/// Of a source, from <= time < to, the oldest first; without those of a simulated night.
/// std::runtime_error, one sentence.
std::vector<DayPicture> dayPictures(const RecordReader& record, const std::string& source,
                                    std::int64_t fromUtcMs, std::int64_t toUtcMs);

}  // namespace mpm::monitor
