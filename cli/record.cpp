// SPDX-License-Identifier: Apache-2.0
// mpm record: exports a record as tables, restores a backup, and checks a record.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/wording.h"
#include "files/text.h"
#include "monitor/record/backup.h"
#include "monitor/record/database.h"
#include "monitor/record/export.h"
#include "monitor/record/record.h"
#include "monitor/record/record_reader.h"

namespace mpm::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostWaitMs = 5000;  // for a checkpoint of whoever writes the record

struct ExportArguments {
  std::string record, what = "series", source, resolution = "minute", from, to, out;
  std::vector<std::string> metrics;
  bool json = false;
};

// Checks digits, since get_time also accepts years of two digits, missing digits and blanks.
bool hasAllDigits(const std::string& text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00";
  for (std::size_t i = 0; i < std::min(text.size(), kShape.size()); ++i) {
    const bool isDigit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == '0' ? !isDigit : text[i] != kShape[i]) return false;
  }
  return text.size() == 10 || text.size() == 16 || text.size() == 19;
}

// Parses "2026-05-04", "2026-05-04T13:00", "2026-05-04T13:00:05", each with or without Z; all UTC.
std::int64_t parseTime(const std::string& option, std::string text) {
  const std::string given = text;
  if (!text.empty() && text.back() == 'Z') text.pop_back();
  for (const char* form : {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"}) {
    std::istringstream stream(text);
    std::tm parts{};
    stream >> std::get_time(&parts, form);
    if (!stream || stream.peek() != std::istringstream::traits_type::eof()) continue;
    if (!hasAllDigits(text) || parts.tm_sec > 59) break;
    const int day = parts.tm_mday;
    const std::int64_t seconds = timegm(&parts);
    if (parts.tm_mday == day) return seconds * 1000;  // 31 February becomes 3 March
  }
  throw UsageError(option + " " + given +
                   " is not a time; write 2026-05-04 or 2026-05-04T13:00, in UTC");
}

monitor::Resolution parseResolution(const std::string& text) {
  for (const monitor::Resolution resolution : monitor::kAllResolutions) {
    if (text == monitor::nameOf(resolution)) return resolution;
  }
  throw UsageError("--resolution " + text + " is unknown; choose second, minute, hour or day");
}

std::string chooseSource(const monitor::RecordReader& record, const ExportArguments& arguments) {
  const std::vector<std::string> sources = record.sources();
  const std::string names = files::joined(sources);
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

bool isRecord(const fs::path& path) {
  constexpr std::string_view kMagic("SQLite format 3");
  std::string start(kMagic.size(), '\0');
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) &&
         std::ifstream(path, std::ios::binary)
             .read(start.data(), static_cast<std::streamsize>(start.size())) &&
         start == kMagic;
}

// Suggests mpm segment for a video, which the user often wants to have labelled.
const std::string& checked(const std::string& record) {
  std::error_code ignored;
  if (isFootage(record) && fs::exists(record, ignored) && !isRecord(record)) {
    throw std::runtime_error(record + " is a picture or a video, not a record; mpm segment MODEL " +
                             record + " labels it, and mpm watch " + record +
                             " --record FILE records it");
  }
  return record;
}

// An open record, and what to export from it.
class Export {
 public:
  explicit Export(const ExportArguments& arguments)
      : arguments_(arguments),
        resolution_(parseResolution(arguments.resolution)),
        range_{"", arguments.from.empty() ? 0 : parseTime("--from", arguments.from),
               arguments.to.empty() ? std::numeric_limits<std::int64_t>::max() / 2
                                    : parseTime("--to", arguments.to)},
        record_(checked(arguments.record)) {
    for (const std::string& metric : arguments.metrics) {
      if (std::count(arguments.metrics.begin(), arguments.metrics.end(), metric) > 1)
        throw UsageError("--metrics " + metric + " is given twice; name each metric once");
    }
    range_.source = chooseSource(record_, arguments);
  }

  void writeTo(std::ostream& out) const {
    const auto format = arguments_.json ? monitor::ExportFormat::json : monitor::ExportFormat::csv;
    if (arguments_.what == "series") {
      monitor::exportSeries(record_, range_, resolution_, arguments_.metrics, format, out);
    } else if (arguments_.what == "day-night") {
      monitor::exportDayNight(record_, range_, arguments_.metrics, format, out);
    } else if (arguments_.what == "events") {
      monitor::exportEvents(record_, range_, format, out);
    } else if (arguments_.what == "runs") {
      monitor::exportRuns(record_, range_, format, out);
    } else {
      monitor::exportSnapshots(record_, range_, format, out);
    }
  }

 private:
  const ExportArguments& arguments_;
  monitor::Resolution resolution_;
  monitor::ExportRange range_;
  monitor::RecordReader record_;
};

// Tells whether a path is a file that SQLite or the lock keeps next to a record.
bool isBesideARecord(const fs::path& path) {
  for (const std::string_view ending : {"-wal", "-shm", "-journal", "-lock"}) {
    const std::string name = path.string();
    if (name.ends_with(ending) && isRecord(name.substr(0, name.size() - ending.size())))
      return true;
  }
  return false;
}

// Rejects files of records, including those that do not exist yet, such as a future backup.
void refuseFilesOfRecords(const ExportArguments& arguments) {
  const fs::path record = followed(arguments.record), out = followed(arguments.out);
  InputFiles itsOwn;
  itsOwn.add(monitor::snapshotFolderOf(record));
  bool isIts = out.parent_path() == monitor::snapshotFolderOf(record);
  for (const char* ending : {"", "-wal", "-shm", "-journal", "-lock"}) {
    itsOwn.add(record.string() + ending);
    isIts = isIts || out == record.string() + ending;
  }
  for (const char* beside : {".backup", ".damaged-", ".removed-", ".replaced-"}) {
    isIts = isIts || out.string().starts_with(record.string() + beside);
  }
  if (isIts || itsOwn.has(out)) {
    throw UsageError("--out " + arguments.out + " belongs to the record " + arguments.record +
                     "; export into another file");
  }
  if (isRecord(out) || isBesideARecord(out)) {
    throw UsageError("--out " + arguments.out +
                     " is a record itself, or belongs to one; export into another file");
  }
}

void exportRecord(const ExportArguments& arguments) {
  constexpr std::array kKinds{"series", "day-night", "events", "snapshots", "runs"};
  if (std::find(kKinds.begin(), kKinds.end(), arguments.what) == kKinds.end()) {
    throw UsageError("--what " + arguments.what +
                     " is not known; use series, day-night, events, snapshots or runs");
  }
  const Export what(arguments);
  if (arguments.out.empty() || arguments.out == kStandardOutput) return what.writeTo(std::cout);
  refuseFilesOfRecords(arguments);
  InputFiles().checkOutput(arguments.out);
  writeFile(arguments.out, [&](std::ostream& file) { what.writeTo(file); });
}

struct RestoreArguments {
  std::string record;
  std::string backup = "1";
};

void checkBackup(const std::string& name) {
  if (name == "kept") return;
  if (name.empty() || name.find_first_not_of("0123456789") != name.npos) {
    throw UsageError("--backup " + name + " is no number, and not \"kept\"");
  }
  if (name.find_first_not_of('0') == name.npos) {
    throw UsageError("--backup counts from 1, the newest");
  }
}

void restore(const RestoreArguments& arguments) {
  checkBackup(arguments.backup);
  const monitor::Restored restored = monitor::restoreBackup(arguments.record, arguments.backup,
                                                            monitor::systemClock().now().utcMs);
  const std::filesystem::path record = monitor::recordPath(arguments.record);
  std::cout << arguments.record << " is " << monitor::backupOf(record, arguments.backup).string()
            << " now";
  if (!restored.replaced.empty()) {
    std::cout
        << "; what was there is " << restored.replaced.string()
        << "\nof records that were set aside the newest two stay: rename that one to keep it for "
           "longer";
  }
  std::cout << '\n';
  if (restored.snapshots > 0) {
    std::cout << "snapshots whose files are back from where they were set aside: "
              << restored.snapshots << '\n';
  }
  const std::filesystem::path kept = monitor::backupOf(record, "kept");
  if (arguments.backup != "kept" && std::filesystem::exists(kept)) {
    std::cout << "a backup of an earlier record is " << kept.string() << " (--backup kept)\n";
  }
}

// Checks a whole record, even while it is being written.
void checkRecord(const std::string& path) {
  const fs::path file = monitor::recordPath(path);
  if (!isRecord(file)) throw std::runtime_error(path + " is not a record, or is not there");
  {
    monitor::Database database(file, monitor::Database::Access::readOnly, kMostWaitMs);
    if (monitor::schemaVersion(database) == 0) throw std::runtime_error(path + " is empty");
    database.checkSound("integrity_check");
  }
  const monitor::RecordReader record(path);
  std::cout << path << " is sound\n";
  constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 2;
  for (const std::string& source : record.sources()) {
    std::size_t missing = 0;
    const std::vector<monitor::RecordedSnapshot> snapshots = record.snapshots(source, 0, kEver);
    for (const monitor::RecordedSnapshot& one : snapshots) {
      for (const std::string& picture :
           {one.labels, one.overlay, one.clip, one.picture, one.mergeMap})
        missing += !picture.empty() && !fs::exists(picture);
    }
    std::cout << source << ": " << countText(record.runs(source).size(), "run") << ", "
              << countText(snapshots.size(), "snapshot")
              << (missing == 0 ? "" : ", " + countText(missing, "file") + " missing") << '\n';
  }
}

void addExport(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("export", "export what a monitor recorded, as CSV or JSON");
  const auto arguments = std::make_shared<ExportArguments>();
  addOption(*command, "RECORD", arguments->record, "", "an SQLite file of mpm watch --record")
      ->required();
  addOption(*command, "--what", arguments->what, "WHAT",
            "series: figures over time; day-night: how nights differ from days;\n"
            "events: what happened; snapshots: a list of them; runs: which\n"
            "model measured what (default: series)");
  addOption(*command, "--source", arguments->source, "NAME",
            "which source, if the record has several");
  addOption(*command, "--resolution", arguments->resolution, "R",
            "for series: second, minute, hour or day (default: minute)");
  addOption(*command, "--metrics", arguments->metrics, "NAMES",
            "for series and day-night, such as live_rows,area.car\n(default: all)")
      ->delimiter(',');
  addOption(*command, "--from", arguments->from, "TIME", "start, in UTC, such as 2026-05-04T13:00");
  addOption(*command, "--to", arguments->to, "TIME", "end, exclusive");
  addOut(*command, arguments->out, "FILE", "a file (default: standard output)");
  command->add_flag("--json", arguments->json, "JSON instead of CSV");
  command->footer(
      "Works while the monitor is running.\n"
      "Example: mpm record export gate.sqlite --resolution hour --metrics live_rows --out "
      "rows.csv\n"
      "         mpm record export gate.sqlite --what day-night --metrics live_rows");
  command->callback([arguments] { exportRecord(*arguments); });
}

void addRestore(CLI::App& app) {
  CLI::App* command = app.add_subcommand("restore", "replace a record with a backup");
  const auto arguments = std::make_shared<RestoreArguments>();
  addOption(*command, "RECORD", arguments->record, "", "an SQLite file of mpm watch --record")
      ->required();
  addOption(*command, "--backup", arguments->backup, "N",
            "which backup: 1 is the newest, RECORD.backup-1 (default: 1);\n"
            "kept is of an earlier record, RECORD.backup-kept");
  command->footer(
      "Stop the monitor that writes the record first. The present record is kept as\n"
      "RECORD.replaced-TIME. Example: mpm record restore gate.sqlite");
  command->callback([arguments] { restore(*arguments); });
}

void addCheck(CLI::App& app) {
  CLI::App* command = app.add_subcommand("check", "look through a record for damage");
  const auto path = std::make_shared<std::string>();
  addOption(*command, "RECORD", *path, "", "an SQLite file of mpm watch --record")->required();
  command->footer(
      "Works while the monitor is running. Exit status 1 if the record is damaged.\n"
      "Example: mpm record check gate.sqlite");
  command->callback([path] { checkRecord(*path); });
}

}  // namespace

void addRecord(CLI::App& app) {
  CLI::App* command = app.add_subcommand("record", "export, restore or check what was recorded");
  command->require_subcommand(1);
  command->footer("mpm record COMMAND --help shows a command's options and an example.");
  addExport(*command);
  addRestore(*command);
  addCheck(*command);
}

}  // namespace mpm::cli
