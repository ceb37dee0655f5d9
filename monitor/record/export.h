// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "monitor/record/record_reader.h"

/// A record as text for other programs. A series is written as it is read: years of it need no more
/// memory than hours.
///
/// CSV: a line of names, then one line for each thing; fields with commas, quotes or line ends are
/// in double quotes, and quotes in them doubled; figures have at most six digits. What is not known
/// is an empty field. JSON: one object, each thing on a line of its own; figures are read back to
/// the bit, and what is not known is null. Times are ISO 8601 in UTC (`time`) and milliseconds
/// since 1970 (`utc_ms`).
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
/// All throw std::invalid_argument, one sentence, on a source, metric or range that there is not,
/// and std::runtime_error where the record cannot be read or the stream not be written.
namespace mpm::monitor {

enum class ExportFormat { csv, json };

struct ExportRange {
  std::string source;
  std::int64_t fromUtcMs = 0, toUtcMs = 0;  ///< from <= time < to
};

/// Of `metrics` in this order; empty: all that the source's runs have. By start, era and run:
/// figures of several runs are not added up, so a minute in which one ended and the next began is
/// two.
void exportSeries(const RecordReader& record, const ExportRange& range, Resolution resolution,
                  const std::vector<std::string>& metrics, ExportFormat format, std::ostream& out);
/// Of each of `metrics` (empty: all) how nights differ from days.
void exportDayNight(const RecordReader& record, const ExportRange& range,
                    const std::vector<std::string>& metrics, ExportFormat format,
                    std::ostream& out);
void exportEvents(const RecordReader& record, const ExportRange& range, ExportFormat format,
                  std::ostream& out);
void exportSnapshots(const RecordReader& record, const ExportRange& range, ExportFormat format,
                     std::ostream& out);
/// All that began before the range's end: the numbers are those of the series.
void exportRuns(const RecordReader& record, const ExportRange& range, ExportFormat format,
                std::ostream& out);

const char* nameOf(Resolution resolution);  ///< "second", "minute", "hour", "day"

}  // namespace mpm::monitor
