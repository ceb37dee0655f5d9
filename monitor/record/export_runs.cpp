// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/past_runs.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "monitor/record/export.h"
#include "monitor/record/export_table.h"

namespace mpm::monitor {
namespace {

using Json = nlohmann::json;

Json settingsOf(const RunFacts& facts) {
  Json settings = Json::parse(facts.settings, nullptr, false);
  return settings.is_object() ? settings : Json::object();
}

std::string taughtIn(const Json& settings) {
  const auto taught = settings.find("taught");
  return taught != settings.end() && taught->is_string() ? taught->get<std::string>()
                                                         : std::string();
}

}  // namespace

RunsOfBuckets::Place RunsOfBuckets::of(std::int64_t run, const Bucket& bucket) const {
  Place place{0, kHomeView};
  const auto found =
      std::lower_bound(runs_.begin(), runs_.end(), run,
                       [](const PastRun& one, std::int64_t id) { return one.id < id; });
  if (found == runs_.end() || found->id != run) return place;
  place.run = static_cast<std::size_t>(found - runs_.begin()) + 1;
  Way way = found->first;
  for (const Event& event : found->events) {
    const std::pair at(event.at.era, event.at.utcMs);
    if (at <= std::pair(bucket.era, bucket.startUtcMs)) way = changed(way, event);
  }
  if (!way.view.empty()) place.view = way.view;
  return place;
}

void exportRuns(const RecordReader& record, const ExportRange& range, ExportFormat format,
                std::ostream& out) {
  checkRange(record, range);
  const std::vector<RecordedRun> runs = record.runs(range.source);
  const std::vector<PastRun> past = pastRuns(record, range.source);
  const bool isCsv = format == ExportFormat::csv;
  CsvLine line;
  std::optional<JsonList> list;
  if (isCsv) {
    for (const char* name : {"run", "time", "utc_ms", "era", "model", "model_sha256", "taught",
                             "precision", "device", "merge_before", "views_before", "version"}) {
      line.add(name);
    }
    line.writeTo(out);
  } else {
    JsonLine head;
    list.emplace(out, head.add("source", range.source), "runs");
  }
  for (std::size_t i = 0; i < runs.size() && i < past.size(); ++i) {
    const RunFacts& facts = runs[i].facts;
    const Moment& begun = facts.begun;
    if (begun.utcMs >= range.toUtcMs) continue;
    const Json settings = settingsOf(facts);
    const std::string taught = taughtIn(settings);
    const auto number = static_cast<std::int64_t>(i + 1);
    if (isCsv) {
      line.add(number).add(isoUtc(begun.utcMs)).add(begun.utcMs).add(std::int64_t{begun.era});
      line.add(facts.model).add(facts.modelHash).add(taught).add(past[i].precision);
      line.add(past[i].device).add(past[i].first.schedule);
      line.add(std::int64_t{past[i].views}).add(facts.version).writeTo(out);
      continue;
    }
    JsonLine json;
    json.add("run", number).add("time", isoUtc(begun.utcMs)).add("utc_ms", begun.utcMs);
    json.add("era", std::int64_t{begun.era}).add("model", facts.model);
    json.add("model_sha256", facts.modelHash).add("taught", taught);
    json.add("precision", past[i].precision).add("device", past[i].device);
    json.add("merge_before", past[i].first.schedule);
    json.add("views_before", std::int64_t{past[i].views}).add("version", facts.version);
    list->add(
        json.addRaw("settings", settings.dump(-1, ' ', false, Json::error_handler_t::replace)));
  }
  if (list) return list->end();
  checkWritten(out.flush());
}

}  // namespace mpm::monitor
