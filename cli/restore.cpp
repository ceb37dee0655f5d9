// SPDX-License-Identifier: Apache-2.0
// mpm restore: a backup takes the place of a record.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/option.h"
#include "cli/usage_error.h"
#include "monitor/record/backup.h"
#include "monitor/record/record_path.h"

namespace mpm::cli {
namespace {

struct Arguments {
  std::string record;
  int backup = 1;
};

void restore(const Arguments& arguments) {
  if (arguments.backup < 1) throw UsageError("--backup counts from 1, the newest");
  const std::filesystem::path replaced = monitor::restoreBackup(arguments.record, arguments.backup,
                                                                monitor::systemClock().now().utcMs);
  const std::filesystem::path record = monitor::recordPath(arguments.record);
  std::cout << arguments.record << " is " << monitor::backupOf(record, arguments.backup).string()
            << " now";
  if (!replaced.empty()) std::cout << "; what was there is " << replaced.string();
  std::cout << '\n';
}

}  // namespace

void addRestore(CLI::App& app) {
  CLI::App* command = app.add_subcommand("restore", "replace a record with a backup");
  const auto arguments = std::make_shared<Arguments>();
  addOption(*command, "RECORD", arguments->record, "", "an SQLite file of mpm monitor --record")
      ->required();
  addOption(*command, "--backup", arguments->backup, "N",
            "which backup: 1 is the newest, RECORD.backup-1 (default: 1)");
  command->footer(
      "Stop the monitor that writes the record first. The present record is kept as\n"
      "RECORD.replaced-TIME. Example: mpm restore gate.sqlite");
  command->callback([arguments] { restore(*arguments); });
}

}  // namespace mpm::cli
