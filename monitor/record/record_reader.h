// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "monitor/record/record.h"
#include "monitor/statistics/series.h"

namespace mpm::monitor {

struct RecordedRun {
  std::int64_t id = 0;
  RunFacts facts;
};

struct RecordedSnapshot {
  Moment taken;
  std::string reason;
  std::string labels, overlay, clip, picture, mergeMap;  ///< paths of its files; empty: it has
                                                         ///< none
  std::string facts;                                     ///< JSON
};

/// Reads a record, also while it is being written, of this or an older schema; each call sees what
/// is committed then, and finds the new record where the old one was moved aside. Every function
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
  /// As they were written; those of one run by era and time, since what was lost of them may have
  /// been written again.
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

}  // namespace mpm::monitor
