// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>

#include "monitor/record/export.h"
#include "monitor/record/export_range.h"
#include "monitor/record/export_table.h"
#include "monitor/record/iso_time.h"

namespace mpm::monitor {
namespace {

using Json = nlohmann::json;

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
  for (const char* name :
       {"time", "utc_ms", "era", "synchronised", "reason", "labels", "overlay", "facts"}) {
    line.add(name);
  }
  line.writeTo(out);
  for (const RecordedSnapshot& snapshot : snapshots) {
    addMoment(line, snapshot.taken).add(snapshot.reason).add(snapshot.labels);
    line.add(snapshot.overlay).add(onOneLine(snapshot.facts)).writeTo(out);
  }
  checkWritten(out.flush());
}

JsonLine headOf(const ExportRange& range) {
  JsonLine head;
  head.add("source", range.source);
  return head;
}

}  // namespace

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
    list.add(addFile(line, "overlay", snapshot.overlay).addRaw("facts", onOneLine(snapshot.facts)));
  }
  list.end();
}

}  // namespace mpm::monitor
