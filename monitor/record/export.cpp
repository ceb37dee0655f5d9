// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/export.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "files/text.h"
#include "monitor/statistics/comparison.h"

namespace mpm::monitor {
namespace {

using Json = nlohmann::json;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Formats a JSON number, which is read back to the bit; empty if it is not finite.
std::string exact(std::optional<double> value) {
  return value && std::isfinite(*value) ? dumped(*value) : std::string();
}

// Formats a CSV number for people.
std::string decimal(std::optional<double> value) {
  return value && std::isfinite(*value) ? files::shortText(*value) : std::string();
}

// Format of a row: CSV's line of names, a CSV line, or a JSON object.
enum class Form { names, csv, json };

// Writes one thing in the order of its columns.
class Row {
 public:
  explicit Row(Form form) : form_(form) {}

  Form form() const { return form_; }
  std::string line() const { return form_ == Form::json ? "{" + line_ + "}" : line_; }

  Row& text(const std::string& name, const std::string& value) {
    return form_ == Form::json ? json(name, dumped(value)) : csv(name, value);
  }
  Row& path(const std::string& name, const std::string& value) {
    return value.empty() ? json(name, "null").csv(name, "") : text(name, value);
  }
  Row& number(const std::string& name, std::int64_t value) {
    const std::string text = std::to_string(value);
    return json(name, text).csv(name, text);
  }
  Row& real(const std::string& name, std::optional<double> value) {
    const std::string text = exact(value);
    return json(name, text.empty() ? "null" : text).csv(name, decimal(value));
  }
  Row& truth(const std::string& name, std::optional<bool> value) {
    if (!value) return path(name, "");
    return json(name, *value ? "true" : "false").csv(name, *value ? "1" : "0");
  }
  Row& moment(const Moment& at) {
    text("time", isoUtc(at.utcMs)).number("utc_ms", at.utcMs).number("era", at.era);
    return truth("synchronised", at.synchronised);
  }
  Row& csv(const std::string& name, const std::string& value) {  // in CSV alone
    if (form_ == Form::json) return *this;
    if (!isFirst_) line_ += ',';
    isFirst_ = false;
    line_ += files::csvField(form_ == Form::names ? name : value);
    return *this;
  }
  Row& json(const std::string& name, const std::string& value) {  // in JSON alone
    if (form_ != Form::json) return *this;
    line_ += (line_.empty() ? "" : ",") + dumped(name) + ":" + value;
    return *this;
  }

 private:
  Form form_;
  std::string line_;
  bool isFirst_ = true;
};

// Writes a table row by row. `rowOf` formats a thing, and the line of names for {}. Throws
// std::runtime_error, in one sentence, if the stream fails.
template <typename Thing>
class Table {
 public:
  using RowOf = std::function<void(const Thing&, Row&)>;

  Table(std::ostream& out, ExportFormat format, const Row& head, const std::string& list,
        RowOf rowOf)
      : out_(out), form_(format == ExportFormat::csv ? Form::csv : Form::json), rowOf_(rowOf) {
    if (form_ == Form::csv) {
      Row names(Form::names);
      rowOf_({}, names);
      out_ << names.line() << '\n';
    } else {
      std::string begin = head.line();
      begin.pop_back();
      out_ << begin << ',' << dumped(list) << ":[";
    }
    check();
  }
  void add(const Thing& thing) {
    Row row(form_);
    rowOf_(thing, row);
    const char* before = isFirst_ ? "\n" : ",\n";
    form_ == Form::csv ? out_ << row.line() << '\n' : out_ << before << row.line();
    isFirst_ = false;
    check();
  }
  void end() {
    out_ << (form_ == Form::csv ? "" : "\n]}\n") << std::flush;
    check();
  }

 private:
  void check() {
    if (!out_) throw std::runtime_error("The export cannot be written: is the disk full?");
  }
  std::ostream& out_;
  Form form_;
  RowOf rowOf_;
  bool isFirst_ = true;
};

template <typename Thing>
void exportAll(const ExportRange& range, const std::string& list, const std::vector<Thing>& things,
               const typename Table<Thing>::RowOf& rowOf, ExportFormat format, std::ostream& out) {
  Table<Thing> table(out, format, Row(Form::json).text("source", range.source), list, rowOf);
  for (const Thing& thing : things) table.add(thing);
  table.end();
}

// Returns "a, b", or "none".
std::string listed(const std::vector<std::string>& names) {
  return names.empty() ? "none" : files::joined(names);
}

// Checks that the source exists and the range does not end before it begins.
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

// Returns `metrics`, or all that the source's runs have if it is empty: in the order of its newest
// run, then those that only older ones have.
std::vector<std::string> chosenMetrics(const RecordReader& record, const std::string& source,
                                       const std::vector<std::string>& metrics) {
  std::vector<std::string> all;
  std::unordered_set<std::string> known;
  std::vector<RecordedRun> runs = record.runs(source);
  std::reverse(runs.begin(), runs.end());
  for (const RecordedRun& run : runs) {
    for (const std::string& name : run.facts.metrics) {
      if (known.insert(name).second) all.push_back(name);
    }
  }
  for (const std::string& name : metrics) {
    if (known.contains(name)) continue;
    throw std::invalid_argument("The source \"" + source + "\" has no metric \"" + name +
                                "\"; it has: " + listed(all));
  }
  return metrics.empty() ? all : metrics;
}

// Returns the run of a bucket's frames, from 1 on (0: the record has none), and their view at its
// beginning.
std::pair<std::size_t, std::string> placeOf(const std::vector<PastRun>& runs, std::int64_t run,
                                            const Bucket& bucket) {
  const auto found =
      std::lower_bound(runs.begin(), runs.end(), run,
                       [](const PastRun& one, std::int64_t id) { return one.id < id; });
  if (found == runs.end() || found->id != run) return {0, kHomeView};
  Way way = found->first;
  for (const Event& event : found->events) {
    const std::pair at(event.at.era, event.at.utcMs);
    if (at <= std::pair(bucket.era, bucket.startUtcMs)) way = changed(way, event);
  }
  return {static_cast<std::size_t>(found - runs.begin()) + 1,
          way.view.empty() ? kHomeView : way.view};
}

// A bucket with the run and view of its frames.
struct SeriesBucket {
  Bucket bucket;
  std::pair<std::size_t, std::string> place;
};

void seriesRow(const SeriesBucket& of, const std::vector<std::string>& metrics, Row& row) {
  const Bucket& bucket = of.bucket;
  row.text("time", isoUtc(bucket.startUtcMs)).number("utc_ms", bucket.startUtcMs);
  row.number("era", bucket.era).text("light", std::string(nameOf(bucket.light())));
  Row frames(row.form()), figures(row.form());
  for (const LightState state : kAllLightStates) {
    const std::int64_t count = bucket.frames[static_cast<std::size_t>(state)];
    const std::string name(nameOf(state));
    frames.number(name, count);
    row.csv("frames." + name, std::to_string(count));
  }
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const Tally tally = i < bucket.tallies.size() ? bucket.tallies[i] : Tally{};
    const std::array values{tally.mean(), tally.deviation(), tally.smallest, tally.largest};
    constexpr std::array kNames{"mean", "deviation", "min", "max"};
    Row figure(row.form());
    figure.number("count", tally.count);
    row.csv(metrics[i] + ".count", std::to_string(tally.count));
    for (std::size_t k = 0; k < values.size(); ++k) {
      figure.real(kNames[k], values[k]);
      row.csv(metrics[i] + "." + kNames[k], decimal(values[k]));
    }
    figures.json(metrics[i], figure.line());
  }
  row.json("frames", frames.line()).json("metrics", figures.line());
  row.number("run", static_cast<std::int64_t>(of.place.first)).text("view", of.place.second);
}

// Selects what compares with the newest run of a range, as it was at its end, like the app.
class Comparable {
 public:
  Comparable(const RecordReader& record, const ExportRange& range)
      : record_(record), range_(range), runs_(pastRuns(record, range.source)) {
    std::erase_if(runs_, [&](const PastRun& run) { return run.begunUtcMs >= range.toUtcMs; });
    if (runs_.empty()) return;
    newest_ = runs_.back();
    wanted_ = newest_.last(range.toUtcMs);
    wanted_.filtered = false;
    std::erase_if(runs_, [&](const PastRun& run) {
      return !run.hasModelOf(newest_) || !run.hasTimesOf(newest_);
    });
  }

  DayNight dayNight(const std::string& metric) const {
    for (const Resolution resolution : {Resolution::hour, Resolution::minute, Resolution::second}) {
      std::deque<Bucket> buckets;
      std::set<std::size_t> begins;
      for (const PastRun& run : runs_) {
        if (!run.hasPlaceOf(newest_, MetricName::parse(metric))) continue;
        const std::deque<Bucket> found = bucketsOf(record_, range_.source, run, wanted_, resolution,
                                                   range_.fromUtcMs, range_.toUtcMs, metric);
        begins.insert(buckets.size());
        buckets.insert(buckets.end(), found.begin(), found.end());
      }
      if (tellsDayNight(buckets, resolution)) return dayNightOf(buckets, 0, begins);
    }
    return {};
  }

 private:
  const RecordReader& record_;
  const ExportRange& range_;
  std::vector<PastRun> runs_;
  PastRun newest_;
  Way wanted_;
};

void dayNightRow(const std::string& metric, const DayNight& figures, Row& row) {
  row.text("metric", metric).number("days", static_cast<std::int64_t>(figures.days.count()));
  row.number("nights", static_cast<std::int64_t>(figures.nights.count()));
  row.real("day.mean", figures.days.mean()).real("day.deviation", figures.days.deviation());
  row.real("night.mean", figures.nights.mean());
  row.real("night.deviation", figures.nights.deviation());
  const auto sure = nightsAgainstDays(figures);
  row.real("difference", sure ? std::optional(sure->difference) : std::nullopt);
  row.real("interval", sure ? std::optional(sure->interval) : std::nullopt);
  row.truth("differ", sure ? std::optional(sure->differ()) : std::nullopt);
  const auto counted = [](const Running& periods, const std::string& what) {
    return std::to_string(periods.count()) + " whole " + what + (periods.count() == 1 ? "" : "s");
  };
  row.path("reason", sure ? ""
                          : "there are " + counted(figures.days, "day") + " and " +
                                counted(figures.nights, "night") +
                                ", and a difference needs two of each");
}

void eventRow(const Event& event, Row& row) {
  row.moment(event.at).text("kind", event.kind).text("name", event.name);
  row.text("text", event.text).real("value", event.value);
}

void snapshotRow(const RecordedSnapshot& snapshot, Row& row) {
  const Json json = Json::parse(snapshot.facts, nullptr, false);
  const std::string facts = json.is_discarded() ? "null" : dumped(json);
  row.moment(snapshot.taken).text("reason", snapshot.reason).path("labels", snapshot.labels);
  row.path("overlay", snapshot.overlay).csv("facts", facts).path("clip", snapshot.clip);
  row.path("picture", snapshot.picture).path("merge_map", snapshot.mergeMap);
  row.json("facts", facts);
}

struct NumberedRun {
  std::int64_t number = 0;
  RunFacts facts;
  PastRun past;
};

void runRow(const NumberedRun& run, Row& row) {
  const RunFacts& facts = run.facts;
  Json settings = Json::parse(facts.settings, nullptr, false);
  if (!settings.is_object()) settings = Json::object();
  const auto taught = settings.find("taught");
  const bool isTaught = taught != settings.end() && taught->is_string();
  row.number("run", run.number).text("time", isoUtc(facts.begun.utcMs));
  row.number("utc_ms", facts.begun.utcMs).number("era", facts.begun.era);
  row.text("model", facts.model).text("model_sha256", facts.modelHash);
  row.text("taught", isTaught ? taught->get<std::string>() : "");
  row.text("precision", run.past.precision).text("device", run.past.device);
  row.text("merge_before", run.past.first.schedule).number("views_before", run.past.views);
  row.text("version", facts.version).json("settings", dumped(settings));
}

}  // namespace

const char* nameOf(Resolution resolution) {
  constexpr std::array<const char*, 4> kNames{"second", "minute", "hour", "day"};
  return kNames.at(static_cast<std::size_t>(resolution));
}

void exportSeries(const RecordReader& record, const ExportRange& range, Resolution resolution,
                  const std::vector<std::string>& metrics, ExportFormat format, std::ostream& out) {
  checkRange(record, range);
  const std::vector<std::string> names = chosenMetrics(record, range.source, metrics);
  const std::vector<PastRun> runs = pastRuns(record, range.source);
  Row head(Form::json);
  head.text("source", range.source);
  head.text("resolution", nameOf(resolution));
  head.number("length_ms", lengthMs(resolution)).json("metrics", dumped(names));
  Table<SeriesBucket> table(
      out, format, head, "buckets",
      [&](const SeriesBucket& bucket, Row& row) { seriesRow(bucket, names, row); });
  record.eachBucket(range.source, resolution, range.fromUtcMs, range.toUtcMs, names,
                    [&](std::int64_t run, const Bucket& bucket) {
                      table.add({bucket, placeOf(runs, run, bucket)});
                    });
  table.end();
}

void exportDayNight(const RecordReader& record, const ExportRange& range,
                    const std::vector<std::string>& metrics, ExportFormat format,
                    std::ostream& out) {
  checkRange(record, range);
  const std::vector<std::string> names = chosenMetrics(record, range.source, metrics);
  const Comparable comparable(record, range);
  const auto rowOf = [&](const std::string& metric, Row& row) {
    dayNightRow(metric, metric.empty() ? DayNight{} : comparable.dayNight(metric), row);
  };
  exportAll<std::string>(range, "metrics", names, rowOf, format, out);
}

void exportEvents(const RecordReader& record, const ExportRange& range, ExportFormat format,
                  std::ostream& out) {
  checkRange(record, range);
  exportAll<Event>(range, "events", record.events(range.source, range.fromUtcMs, range.toUtcMs),
                   eventRow, format, out);
}

void exportSnapshots(const RecordReader& record, const ExportRange& range, ExportFormat format,
                     std::ostream& out) {
  checkRange(record, range);
  exportAll<RecordedSnapshot>(range, "snapshots",
                              record.snapshots(range.source, range.fromUtcMs, range.toUtcMs),
                              snapshotRow, format, out);
}

void exportRuns(const RecordReader& record, const ExportRange& range, ExportFormat format,
                std::ostream& out) {
  checkRange(record, range);
  std::vector<NumberedRun> runs;
  for (const RecordedRun& run : record.runs(range.source)) {
    runs.push_back({static_cast<std::int64_t>(runs.size()) + 1, run.facts, {}});
  }
  const std::vector<PastRun> past = pastRuns(record, range.source);
  for (std::size_t i = 0; i < runs.size() && i < past.size(); ++i) runs[i].past = past[i];
  std::erase_if(runs,
                [&](const NumberedRun& run) { return run.facts.begun.utcMs >= range.toUtcMs; });
  exportAll<NumberedRun>(range, "runs", runs, runRow, format, out);
}

}  // namespace mpm::monitor
