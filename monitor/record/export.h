// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "monitor/record/record_reader.h"

/// Writes a record as text for other programs. A series is written as it is read, so years of it
/// need no more memory than hours.
///
/// CSV has a line of names, then one line for each thing. Fields with commas, quotes or line ends
/// are in double quotes, and quotes in them are doubled. Values have at most six digits; unknown
/// ones are empty. JSON is one object, each thing on a line; values are read back to the bit, and
/// unknown ones are null. Times are ISO 8601 in UTC (`time`) and milliseconds since 1970
/// (`utc_ms`).
///
///   series      time, utc_ms, era, light, frames.<state>..., and of each metric
///               <metric>.count, .mean, .deviation, .min, .max; run (of the list below), view
///               (of a camera that was moved: which events "view" name, "first" until then)
///   runs        run (from 1 on), time, utc_ms, era, model, model_sha256, taught (when and from
///               what, of a taught model), precision, device, merge_before, views_before (how often
///               the camera had been put up anew), version; JSON also settings
///   day/night   metric, days, nights, day.mean, day.deviation, night.mean, night.deviation,
///               difference, interval, differ: see statistics/comparison.h; reason: why these
///               three are not known
///   events      time, utc_ms, era, synchronised, kind, name, text, value
///   snapshots   time, utc_ms, era, synchronised, reason, labels, overlay (paths), facts, clip
///               (path), picture, merge_map
///
/// All throw std::invalid_argument, in one sentence, for an unknown source or metric or a bad
/// range. They throw std::runtime_error if the record cannot be read or the stream not be written.
namespace mpm::monitor {

enum class ExportFormat { csv, json };

struct ExportRange {
  std::string source;
  std::int64_t fromUtcMs = 0, toUtcMs = 0;  ///< from <= time < to
};

/// Exports `metrics` in this order, or all of the source's runs if empty, by start, era and run.
/// Values of several runs are not added up: a minute in which one ended and the next began appears
/// twice.
void exportSeries(const RecordReader& record, const ExportRange& range, Resolution resolution,
                  const std::vector<std::string>& metrics, ExportFormat format, std::ostream& out);
/// Compares nights with days for each of `metrics` (empty: all).
void exportDayNight(const RecordReader& record, const ExportRange& range,
                    const std::vector<std::string>& metrics, ExportFormat format,
                    std::ostream& out);
void exportEvents(const RecordReader& record, const ExportRange& range, ExportFormat format,
                  std::ostream& out);
void exportSnapshots(const RecordReader& record, const ExportRange& range, ExportFormat format,
                     std::ostream& out);
/// Exports all runs that began before the range's end, with the numbers that series use.
void exportRuns(const RecordReader& record, const ExportRange& range, ExportFormat format,
                std::ostream& out);

const char* nameOf(Resolution resolution);  ///< "second", "minute", "hour", "day"

}  // namespace mpm::monitor
