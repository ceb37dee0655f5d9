// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <ostream>
#include <set>

#include "monitor/record/export.h"
#include "monitor/record/export_table.h"
#include "monitor/record/past_runs.h"
#include "monitor/statistics/day_night.h"

namespace mpm::monitor {
namespace {

// What can be compared with the newest run of a range, as it was at its end: as the app does it.
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

void addCsv(CsvLine& line, const std::string& metric, const DayNight& figures) {
  line.add(metric).add(static_cast<std::int64_t>(figures.days.count()));
  line.add(static_cast<std::int64_t>(figures.nights.count()));
  for (const Running& of : {figures.days, figures.nights}) {
    line.add(decimal(of.mean())).add(decimal(of.deviation()));
  }
  if (const auto sure = nightsAgainstDays(figures)) {
    line.add(decimal(sure->difference)).add(decimal(sure->interval));
    line.add(sure->differ() ? "1" : "0");
  } else {
    line.add("").add("").add("");
  }
}

JsonLine jsonOf(const std::string& metric, const DayNight& figures) {
  JsonLine line;
  line.add("metric", metric).add("days", static_cast<std::int64_t>(figures.days.count()));
  line.add("nights", static_cast<std::int64_t>(figures.nights.count()));
  line.addReal("day.mean", figures.days.mean()).addReal("day.deviation", figures.days.deviation());
  line.addReal("night.mean", figures.nights.mean());
  line.addReal("night.deviation", figures.nights.deviation());
  if (const auto sure = nightsAgainstDays(figures)) {
    line.addReal("difference", sure->difference).addReal("interval", sure->interval);
    line.add("differ", sure->differ());
  } else {
    for (const char* name : {"difference", "interval", "differ"}) line.addRaw(name, "null");
  }
  return line;
}

}  // namespace

void exportDayNight(const RecordReader& record, const ExportRange& range,
                    const std::vector<std::string>& metrics, ExportFormat format,
                    std::ostream& out) {
  checkRange(record, range);
  const std::vector<std::string> names = chosenMetrics(record, range.source, metrics);
  const Comparable comparable(record, range);
  if (format == ExportFormat::csv) {
    CsvLine line;
    for (const char* name : {"metric", "days", "nights", "day.mean", "day.deviation", "night.mean",
                             "night.deviation", "difference", "interval", "differ"}) {
      line.add(name);
    }
    line.writeTo(out);
    for (const std::string& metric : names) {
      addCsv(line, metric, comparable.dayNight(metric));
      line.writeTo(out);
    }
    checkWritten(out.flush());
    return;
  }
  JsonLine head;
  JsonList list(out, head.add("source", range.source), "metrics");
  for (const std::string& metric : names) {
    list.add(jsonOf(metric, comparable.dayNight(metric)));
  }
  list.end();
}

}  // namespace mpm::monitor
