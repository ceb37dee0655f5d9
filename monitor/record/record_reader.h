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

/// Reads a record of this or an older schema, also while it is being written. Each call sees what
/// is committed then, and finds the new record if the old one was set aside. Every function throws
/// std::runtime_error, in one sentence. Not for two threads at once.
class RecordReader {
 public:
  explicit RecordReader(const std::string& path);
  ~RecordReader();
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  std::vector<std::string> sources() const;
  std::vector<RecordedRun> runs(const std::string& source) const;  ///< oldest first
  /// Returns buckets of all runs of a source, from <= start < to, by run, then era and start.
  /// Metrics that a run lacks are empty tallies. Here and below, `run` selects one run; 0: all.
  std::vector<Bucket> buckets(const std::string& source, Resolution resolution,
                              std::int64_t fromUtcMs, std::int64_t toUtcMs,
                              const std::vector<std::string>& metrics, std::int64_t run = 0) const;
  /// Passes the same with its run's id, some at a time, so that years take no more memory than
  /// hours. The order is start, era and run. Runs that begin meanwhile are left out.
  void eachBucket(const std::string& source, Resolution resolution, std::int64_t fromUtcMs,
                  std::int64_t toUtcMs, const std::vector<std::string>& metrics,
                  const std::function<void(std::int64_t run, const Bucket&)>& show) const;
  /// Returns when the first bucket at or after a time begins, for any run and era of a source.
  std::optional<std::int64_t> firstBucket(const std::string& source, Resolution resolution,
                                          std::int64_t fromUtcMs) const;
  /// Returns events as written, by run, then era and time.
  std::vector<Event> events(const std::string& source, std::int64_t fromUtcMs, std::int64_t toUtcMs,
                            std::int64_t run = 0) const;
  std::vector<RecordedSnapshot> snapshots(const std::string& source, std::int64_t fromUtcMs,
                                          std::int64_t toUtcMs) const;
  /// Returns what a source's camera usually showed, if that was stored since `fromUtcMs`; else
  /// empty.
  std::string view(const std::string& source, std::int64_t fromUtcMs) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A run of a record, with everything besides the scene that its values depend on.
struct PastRun {
  std::int64_t id = 0, begunUtcMs = 0;
  std::string model, modelHash, precision, device;  ///< device: empty for the processor
  std::vector<Zone> zones;
  std::optional<Ground> ground;
  bool replay = false;  ///< of a file: its times are places in that, the same every time
  int views = 0;        ///< how often the camera had been put up anew by then
  Way first;
  std::vector<Event> events;  ///< that change the way

  /// Tells whether both are computed alike, including device and precision, by a camera that was
  /// not put up anew in between.
  bool hasModelOf(const PastRun& other) const;
  /// Tells whether days and nights of both compare: a replay only compares with itself.
  bool hasTimesOf(const PastRun& other) const;
  /// Tells whether a metric covers the same part of the picture, or ground, in both: a redrawn zone
  /// keeps its name. Records of earlier versions do not say where it was, and are believed.
  bool hasPlaceOf(const PastRun& other, const MetricName& metric) const;
  Way last(std::int64_t beforeUtcMs = std::numeric_limits<std::int64_t>::max()) const;
};

/// Returns what a run's facts alone say, without its number and its events.
PastRun pastRun(const RunFacts& facts);
/// Returns all runs of a source, oldest first.
std::vector<PastRun> pastRuns(const RecordReader& record, const std::string& source);
/// Returns a run's buckets with this metric that were computed in the way `wanted`.
std::deque<Bucket> bucketsOf(const RecordReader& record, const std::string& source,
                             const PastRun& run, const Way& wanted, Resolution resolution,
                             std::int64_t fromUtcMs, std::int64_t toUtcMs,
                             const std::string& metric);

/// A snapshot of a record that has a picture, with its description.
struct DayPicture {
  Moment taken;
  std::string reason;
  LightState light = LightState::transition;
  /// Tokens before merging and after; NaN if unknown or not merged.
  double tokens = std::numeric_limits<double>::quiet_NaN(), liveTokens = tokens;
  std::string modelHash;
  Schedule schedule;  ///< that it was segmented with
  /// `picture` is the path with labels drawn over it. Without one, `frame` is the path of the frame
  /// itself, or empty.
  std::string picture, frame, labels, mergeMap;
};

/// Returns a source's pictures, from <= time < to, oldest first, without those of a simulated
/// night. Throws std::runtime_error, in one sentence.
std::vector<DayPicture> dayPictures(const RecordReader& record, const std::string& source,
                                    std::int64_t fromUtcMs, std::int64_t toUtcMs);

}  // namespace mpm::monitor
