// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "monitor/record/record_reader.h"
#include "monitor/statistics/comparison.h"
#include "monitor/statistics/ground.h"
#include "monitor/statistics/metric_name.h"
#include "monitor/statistics/zones.h"

namespace mpm::monitor {

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

/// How the run of a bucket's frames is numbered, and which view they have, for exports.
class RunsOfBuckets {
 public:
  RunsOfBuckets(const RecordReader& record, const std::string& source)
      : runs_(pastRuns(record, source)) {}

  struct Place {
    std::size_t run = 0;  ///< from 1 on, in the order of exportRuns; 0: the record has none
    std::string view;     ///< at its beginning, as Way has it, kHomeView the first
  };
  Place of(std::int64_t run, const Bucket& bucket) const;

 private:
  std::vector<PastRun> runs_;
};

}  // namespace mpm::monitor
