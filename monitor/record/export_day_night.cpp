// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <ostream>

#include "monitor/record/export.h"
#include "monitor/record/export_table.h"
#include "monitor/statistics/day_night.h"

namespace mpm::monitor {
namespace {

DayNight dayNightIn(const RecordReader& record, const ExportRange& range,
                    const std::string& metric) {
  for (const Resolution resolution : {Resolution::hour, Resolution::minute, Resolution::second}) {
    const std::vector<Bucket> found =
        record.buckets(range.source, resolution, range.fromUtcMs, range.toUtcMs, {metric});
    const std::deque<Bucket> buckets(found.begin(), found.end());
    if (tellsDayNight(buckets, resolution)) return dayNightOf(buckets, 0);
  }
  return {};
}

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
  if (format == ExportFormat::csv) {
    CsvLine line;
    for (const char* name : {"metric", "days", "nights", "day.mean", "day.deviation", "night.mean",
                             "night.deviation", "difference", "interval", "differ"}) {
      line.add(name);
    }
    line.writeTo(out);
    for (const std::string& metric : names) {
      addCsv(line, metric, dayNightIn(record, range, metric));
      line.writeTo(out);
    }
    checkWritten(out.flush());
    return;
  }
  JsonLine head;
  JsonList list(out, head.add("source", range.source), "metrics");
  for (const std::string& metric : names) {
    list.add(jsonOf(metric, dayNightIn(record, range, metric)));
  }
  list.end();
}

}  // namespace mpm::monitor
