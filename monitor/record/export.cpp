// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/export.h"

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <unordered_set>

#include "monitor/record/export_table.h"
#include "monitor/record/past_runs.h"

namespace mpm::monitor {
namespace {

using Json = nlohmann::json;

// "a, b", or "none".
std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "none" : list;
}

// All metrics of a source, in the order of its newest run; then what only older ones had.
std::vector<std::string> metricsOf(const RecordReader& record, const std::string& source) {
  std::vector<std::string> metrics;
  std::unordered_set<std::string> known;
  std::vector<RecordedRun> runs = record.runs(source);
  std::reverse(runs.begin(), runs.end());
  for (const RecordedRun& run : runs) {
    for (const std::string& name : run.facts.metrics) {
      if (known.insert(name).second) metrics.push_back(name);
    }
  }
  return metrics;
}

std::optional<double> ifAny(const Tally& tally, double value) {
  return tally.count > 0 ? std::optional(value) : std::nullopt;
}

void seriesCsv(const Bucket& bucket, const RunsOfBuckets::Place& place, CsvLine& line,
               std::ostream& out) {
  line.add(isoUtc(bucket.startUtcMs)).add(bucket.startUtcMs).add(std::int64_t{bucket.era});
  line.add(nameOf(bucket.light()));
  for (const std::uint32_t frames : bucket.frames) line.add(std::int64_t{frames});
  for (const Tally& tally : bucket.tallies) {
    line.add(std::int64_t{tally.count}).add(decimal(tally.mean())).add(decimal(tally.deviation()));
    line.add(decimal(ifAny(tally, tally.smallest))).add(decimal(ifAny(tally, tally.largest)));
  }
  line.add(static_cast<std::int64_t>(place.run)).add(place.view);
  line.writeTo(out);
}

JsonLine seriesJson(const Bucket& bucket, const RunsOfBuckets::Place& place,
                    const std::vector<std::string>& metrics) {
  JsonLine frames, figures, line;
  for (const LightState state : kAllLightStates) {
    frames.add(nameOf(state), std::int64_t{bucket.frames[static_cast<std::size_t>(state)]});
  }
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const Tally& tally = bucket.tallies[i];
    JsonLine figure;
    figure.add("count", std::int64_t{tally.count}).addReal("mean", tally.mean());
    figure.addReal("deviation", tally.deviation());
    figure.addReal("min", ifAny(tally, tally.smallest));
    figure.addReal("max", ifAny(tally, tally.largest));
    figures.addRaw(metrics[i], figure.text());
  }
  line.add("time", isoUtc(bucket.startUtcMs)).add("utc_ms", bucket.startUtcMs);
  line.add("era", std::int64_t{bucket.era}).add("light", nameOf(bucket.light()));
  line.addRaw("frames", frames.text()).addRaw("metrics", figures.text());
  line.add("run", static_cast<std::int64_t>(place.run)).add("view", place.view);
  return line;
}

void seriesNames(const std::vector<std::string>& metrics, CsvLine& line, std::ostream& out) {
  line.add("time").add("utc_ms").add("era").add("light");
  for (const LightState state : kAllLightStates) line.add("frames." + std::string(nameOf(state)));
  for (const std::string& name : metrics) {
    for (const char* figure : {".count", ".mean", ".deviation", ".min", ".max"}) {
      line.add(name + figure);
    }
  }
  line.add("run").add("view");
  line.writeTo(out);
}

CsvLine& addMoment(CsvLine& line, const Moment& at) {
  line.add(isoUtc(at.utcMs)).add(at.utcMs).add(std::int64_t{at.era});
  return line.add(at.synchronised ? "1" : "0");
}

JsonLine& addMoment(JsonLine& line, const Moment& at) {
  line.add("time", isoUtc(at.utcMs)).add("utc_ms", at.utcMs).add("era", std::int64_t{at.era});
  return line.add("synchronised", at.synchronised);
}

// A file that a snapshot does not have.
JsonLine& addFile(JsonLine& line, std::string_view name, const std::string& path) {
  return path.empty() ? line.addRaw(name, "null") : line.add(name, path);
}

std::string onOneLine(const std::string& json) {
  const Json facts = Json::parse(json, nullptr, false);
  return facts.is_discarded() ? "null" : facts.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void eventsCsv(const std::vector<Event>& events, std::ostream& out) {
  CsvLine line;
  for (const char* name :
       {"time", "utc_ms", "era", "synchronised", "kind", "name", "text", "value"}) {
    line.add(name);
  }
  line.writeTo(out);
  for (const Event& event : events) {
    addMoment(line, event.at).add(event.kind).add(event.name).add(event.text);
    line.add(decimal(event.value)).writeTo(out);
  }
  checkWritten(out.flush());
}

void snapshotsCsv(const std::vector<RecordedSnapshot>& snapshots, std::ostream& out) {
  CsvLine line;
  for (const char* name : {"time", "utc_ms", "era", "synchronised", "reason", "labels", "overlay",
                           "facts", "clip", "picture", "merge_map"}) {
    line.add(name);
  }
  line.writeTo(out);
  for (const RecordedSnapshot& snapshot : snapshots) {
    addMoment(line, snapshot.taken).add(snapshot.reason).add(snapshot.labels);
    line.add(snapshot.overlay).add(onOneLine(snapshot.facts)).add(snapshot.clip);
    line.add(snapshot.picture).add(snapshot.mergeMap).writeTo(out);
  }
  checkWritten(out.flush());
}

JsonLine headOf(const ExportRange& range) {
  JsonLine head;
  head.add("source", range.source);
  return head;
}

}  // namespace

void checkRange(const RecordReader& record, const ExportRange& range) {
  const std::vector<std::string> sources = record.sources();
  if (std::find(sources.begin(), sources.end(), range.source) == sources.end()) {
    throw std::invalid_argument("The record has no source \"" + range.source +
                                "\"; it has: " + listed(sources));
  }
  if (range.fromUtcMs > range.toUtcMs) {
    throw std::invalid_argument("The export's end is before its start");
  }
}

std::vector<std::string> chosenMetrics(const RecordReader& record, const std::string& source,
                                       const std::vector<std::string>& metrics) {
  const std::vector<std::string> all = metricsOf(record, source);
  if (metrics.empty()) return all;
  for (const std::string& name : metrics) {
    if (std::find(all.begin(), all.end(), name) != all.end()) continue;
    throw std::invalid_argument("The source \"" + source + "\" has no metric \"" + name +
                                "\"; it has: " + listed(all));
  }
  return metrics;
}

const char* nameOf(Resolution resolution) {
  constexpr std::array<const char*, 4> kNames{"second", "minute", "hour", "day"};
  return kNames.at(static_cast<std::size_t>(resolution));
}

void exportSeries(const RecordReader& record, const ExportRange& range, Resolution resolution,
                  const std::vector<std::string>& metrics, ExportFormat format, std::ostream& out) {
  checkRange(record, range);
  const std::vector<std::string> names = chosenMetrics(record, range.source, metrics);
  const RunsOfBuckets runs(record, range.source);
  const auto visit = [&](const std::function<void(std::int64_t, const Bucket&)>& show) {
    record.eachBucket(range.source, resolution, range.fromUtcMs, range.toUtcMs, names, show);
  };
  if (format == ExportFormat::csv) {
    CsvLine line;
    seriesNames(names, line, out);
    visit([&](std::int64_t run, const Bucket& bucket) {
      seriesCsv(bucket, runs.of(run, bucket), line, out);
    });
    checkWritten(out.flush());
  } else {
    JsonLine head;
    head.add("source", range.source).add("resolution", nameOf(resolution));
    head.add("length_ms", lengthMs(resolution));
    head.addRaw("metrics", Json(names).dump(-1, ' ', false, Json::error_handler_t::replace));
    JsonList list(out, head, "buckets");
    visit([&](std::int64_t run, const Bucket& bucket) {
      list.add(seriesJson(bucket, runs.of(run, bucket), names));
    });
    list.end();
  }
}

void exportEvents(const RecordReader& record, const ExportRange& range, ExportFormat format,
                  std::ostream& out) {
  checkRange(record, range);
  const std::vector<Event> events = record.events(range.source, range.fromUtcMs, range.toUtcMs);
  if (format == ExportFormat::csv) {
    eventsCsv(events, out);
    return;
  }
  JsonList list(out, headOf(range), "events");
  for (const Event& event : events) {
    JsonLine line;
    addMoment(line, event.at).add("kind", event.kind).add("name", event.name);
    list.add(line.add("text", event.text).addReal("value", event.value));
  }
  list.end();
}

void exportSnapshots(const RecordReader& record, const ExportRange& range, ExportFormat format,
                     std::ostream& out) {
  checkRange(record, range);
  const std::vector<RecordedSnapshot> snapshots =
      record.snapshots(range.source, range.fromUtcMs, range.toUtcMs);
  if (format == ExportFormat::csv) {
    snapshotsCsv(snapshots, out);
    return;
  }
  JsonList list(out, headOf(range), "snapshots");
  for (const RecordedSnapshot& snapshot : snapshots) {
    JsonLine line;
    addMoment(line, snapshot.taken).add("reason", snapshot.reason);
    addFile(line, "labels", snapshot.labels);
    addFile(line, "overlay", snapshot.overlay);
    addFile(line, "clip", snapshot.clip);
    addFile(line, "picture", snapshot.picture);
    addFile(line, "merge_map", snapshot.mergeMap);
    list.add(line.addRaw("facts", onOneLine(snapshot.facts)));
  }
  list.end();
}

}  // namespace mpm::monitor
