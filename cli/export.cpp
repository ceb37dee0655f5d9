// SPDX-License-Identifier: Apache-2.0
// mpm export: a record as tables.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/usage_error.h"
#include "monitor/record/export.h"
#include "monitor/record/record_reader.h"

namespace mpm::cli {
namespace {

struct Arguments {
  std::string record, what = "series", source, resolution = "minute", from, to, out;
  std::vector<std::string> metrics;
  bool json = false;
};

// "2026-05-04", "2026-05-04T13:00", "2026-05-04T13:00:05", each with or without a Z; all UTC.
std::int64_t parseTime(const std::string& option, std::string text) {
  const std::string given = text;
  if (!text.empty() && text.back() == 'Z') text.pop_back();
  for (const char* form : {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"}) {
    std::istringstream stream(text);
    std::tm parts{};
    stream >> std::get_time(&parts, form);
    if (stream && stream.peek() == std::istringstream::traits_type::eof()) {
      return static_cast<std::int64_t>(timegm(&parts)) * 1000;
    }
  }
  throw UsageError(option + " " + given +
                   " is no time; 2026-05-04 is, and 2026-05-04T13:00, in UTC");
}

monitor::Resolution parseResolution(const std::string& text) {
  for (const monitor::Resolution resolution : monitor::kAllResolutions) {
    if (text == monitor::nameOf(resolution)) return resolution;
  }
  throw UsageError("--resolution " + text + " is not known; second, minute, hour and day are");
}

std::string chooseSource(const monitor::RecordReader& record, const Arguments& arguments) {
  const std::vector<std::string> sources = record.sources();
  std::string names;
  for (const std::string& name : sources) names += (names.empty() ? "" : ", ") + name;
  if (arguments.source.empty()) {
    if (sources.size() == 1) return sources[0];
    if (sources.empty()) throw std::runtime_error(arguments.record + " has no source in it");
    throw UsageError("--source is needed: " + arguments.record + " has " + names);
  }
  if (std::find(sources.begin(), sources.end(), arguments.source) == sources.end()) {
    throw UsageError("--source " + arguments.source + " is not in " + arguments.record +
                     ", which has " + (names.empty() ? "none" : names));
  }
  return arguments.source;
}

void exportTo(std::ostream& out, const Arguments& arguments) {
  const monitor::Resolution resolution = parseResolution(arguments.resolution);
  monitor::ExportRange range;
  range.fromUtcMs = arguments.from.empty() ? 0 : parseTime("--from", arguments.from);
  range.toUtcMs = arguments.to.empty() ? std::numeric_limits<std::int64_t>::max() / 2
                                       : parseTime("--to", arguments.to);
  const monitor::RecordReader record(arguments.record);
  range.source = chooseSource(record, arguments);
  const auto format = arguments.json ? monitor::ExportFormat::json : monitor::ExportFormat::csv;
  if (arguments.what == "series") {
    monitor::exportSeries(record, range, resolution, arguments.metrics, format, out);
  } else if (arguments.what == "day-night") {
    monitor::exportDayNight(record, range, arguments.metrics, format, out);
  } else if (arguments.what == "events") {
    monitor::exportEvents(record, range, format, out);
  } else {
    monitor::exportSnapshots(record, range, format, out);
  }
}

void exportRecord(const Arguments& arguments) {
  constexpr std::array kKinds{"series", "day-night", "events", "snapshots"};
  if (std::find(kKinds.begin(), kKinds.end(), arguments.what) == kKinds.end()) {
    throw UsageError("--what " + arguments.what +
                     " is not known; use series, day-night, events or snapshots");
  }
  if (arguments.out.empty()) return exportTo(std::cout, arguments);
  checkOutputFile(arguments.out);
  std::ofstream file(arguments.out, std::ios::binary);
  if (!file) throw std::runtime_error("cannot write " + arguments.out);
  exportTo(file, arguments);
  if (!file.flush()) throw std::runtime_error("cannot write " + arguments.out);
}

}  // namespace

void addExport(CLI::App& app) {
  CLI::App* command = app.add_subcommand("export", "what a monitor recorded, as CSV or JSON");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("RECORD", arguments->record, "an SQLite file of mpm monitor --record")
      ->required()
      ->type_name("");
  command
      ->add_option("--what", arguments->what,
                   "series: figures over time; day-night: how nights differ from days;\n"
                   "events: what happened; snapshots: which there are (default: series)")
      ->type_name("WHAT");
  command->add_option("--source", arguments->source, "where the record has several")
      ->type_name("NAME");
  command
      ->add_option("--resolution", arguments->resolution,
                   "of series: second, minute, hour or day (default: minute)")
      ->type_name("R");
  command
      ->add_option("--metrics", arguments->metrics,
                   "of series and day-night, as live_rows,area.car (default: all)")
      ->delimiter(',')
      ->type_name("NAMES");
  command->add_option("--from", arguments->from, "a time in UTC, as 2026-05-04T13:00")
      ->type_name("TIME");
  command->add_option("--to", arguments->to, "not this time any more")->type_name("TIME");
  command->add_option("-o,--out", arguments->out, "a file (default: the standard output)")
      ->type_name("FILE");
  command->add_flag("--json", arguments->json, "JSON instead of CSV");
  command->footer(
      "Works while the monitor writes.\n"
      "Example: mpm export gate.sqlite --resolution hour --metrics live_rows --out rows.csv\n"
      "         mpm export gate.sqlite --what day-night --metrics live_rows");
  command->callback([arguments] { exportRecord(*arguments); });
}

}  // namespace mpm::cli
