// SPDX-License-Identifier: Apache-2.0
// mpm restore: a backup takes the place of a record.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/option.h"
#include "cli/usage_error.h"
#include "monitor/record/backup.h"

namespace mpm::cli {
namespace {

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
        << "\nof records that were set aside the newest and the largest stay: rename that one "
           "to keep it for longer";
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

}  // namespace

void addRestore(CLI::App& app) {
  CLI::App* command = app.add_subcommand("restore", "replace a record with a backup");
  const auto arguments = std::make_shared<RestoreArguments>();
  addOption(*command, "RECORD", arguments->record, "", "an SQLite file of mpm monitor --record")
      ->required();
  addOption(*command, "--backup", arguments->backup, "N",
            "which backup: 1 is the newest, RECORD.backup-1 (default: 1);\n"
            "kept is of an earlier record, RECORD.backup-kept");
  command->footer(
      "Stop the monitor that writes the record first. The present record is kept as\n"
      "RECORD.replaced-TIME. Example: mpm restore gate.sqlite");
  command->callback([arguments] { restore(*arguments); });
}

}  // namespace mpm::cli
