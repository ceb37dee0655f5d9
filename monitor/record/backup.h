// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "monitor/clock/clock.h"
#include "monitor/record/database.h"

/// What lies beside a record, as a record given by a link does beside the file itself.
///
/// RECORD.backup-1 is the newest copy, RECORD.backup-2 the one before, ... All of it is in them but
/// seconds, which take the most and are kept for days at most; snapshots with their rows, not their
/// files. Each is a record of its own, which export reads. RECORD.backup-kept is of an earlier
/// record: where a new one is begun, the newest backup becomes it, unless a larger one is there.
/// Without it the history would be gone as many nights later as backups are kept.
///
/// RECORD.damaged-TIME was set aside, with its journal and its snapshots; RECORD.removed-TIME has
/// the snapshots of a record that is gone, and RECORD.replaced-TIME what a backup replaced.
namespace mpm::monitor {

/// `name`: a number, or "kept".
std::filesystem::path backupOf(const std::filesystem::path& record, const std::string& name);
inline std::filesystem::path backupOf(const std::filesystem::path& record, int number) {
  return backupOf(record, std::to_string(number));
}

/// Makes one of how the record is at this moment, looks through it, and lets go of what is more
/// than `keep`. Whoever writes the record goes on meanwhile. std::runtime_error, one sentence; then
/// the ones before are as they were, as where `stop` becomes true.
void makeBackup(const std::filesystem::path& record, int keep, const std::atomic<bool>& stop);

/// A damaged record with all that belongs to it; its new path.
std::filesystem::path setAside(const std::filesystem::path& record, std::int64_t utcMs);
/// Where a new record was begun: what belonged to the one before is not its. A sentence for each.
std::string setPastAside(const std::filesystem::path& record, std::int64_t utcMs);

/// How many bytes lie beside a record. Of what was set aside the newest and the largest stay; of
/// more than `mostBytes` (0: no limit) the largest goes, and the oldest backups, but the newest and
/// the kept one stay whatever they take. What has another name, as people give it, stays and does
/// not count.
std::int64_t boundBeside(const std::filesystem::path& record, std::int64_t mostBytes,
                         std::int64_t nowUtcMs);

struct Restored {
  std::filesystem::path replaced;  ///< what was there is here now; empty: nothing was
  int snapshots = 0;               ///< whose files had been set aside, and are back
};

/// Puts a backup in the record's place; whenever this is killed, nothing is lost.
/// std::runtime_error, one sentence: another process writes the record, there is no such backup, it
/// is damaged itself.
Restored restoreBackup(const std::filesystem::path& record, const std::string& name,
                       std::int64_t utcMs);

/// Makes one each night, in a thread of its own. Not from two threads at once.
class Backups {
 public:
  Backups(const std::filesystem::path& record, int keep);
  ~Backups();  ///< ends one that is being made
  Backups(const Backups&) = delete;
  Backups& operator=(const Backups&) = delete;

  /// To be called about once a minute: begins one between three and four at night, local time,
  /// where the last one is half a day old, and at any hour where it is older than a day and a half.
  /// Of a night whose clocks go from three to four it is the hour after that.
  /// One that could not be made is tried again every hour, and why not is told each time that the
  /// reason is another one.
  std::optional<std::string> look(const Moment& now);
  std::string fault();  ///< why the last one could not be made; empty: it could

 private:
  void begin(const Moment& now);

  std::filesystem::path record_;
  int keep_;
  std::optional<std::int64_t> madeMs_, triedMs_;  // steady
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // of these:
  bool running_ = false;
  std::string fault_, untold_;
  std::thread thread_;
};

}  // namespace mpm::monitor
