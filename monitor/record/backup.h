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

/// Manages files next to a record; for a record given by a link, next to the file itself.
///
/// RECORD.backup-1 is the newest copy, RECORD.backup-2 the one before, and so on. They lack
/// seconds, which take the most space and are kept for days at most, and have rows of snapshots
/// without their files. Each is a record that export reads. RECORD.backup-kept is of an earlier
/// record: a new record turns the newest backup into it, unless a larger one exists. Without it,
/// the history would be lost after as many nights as backups are kept.
///
/// RECORD.damaged-TIME was set aside, with its journal and its snapshots. RECORD.removed-TIME has
/// the snapshots of a record that is gone, RECORD.replaced-TIME what a backup replaced.
namespace mpm::monitor {

/// `name` is a number, or "kept".
std::filesystem::path backupOf(const std::filesystem::path& record, const std::string& name);
inline std::filesystem::path backupOf(const std::filesystem::path& record, int number) {
  return backupOf(record, std::to_string(number));
}

/// Makes a backup of the record's present state, checks it, and removes more than `keep`. The
/// record can be written meanwhile. Throws std::runtime_error, in one sentence, also if `stop`
/// becomes true. The earlier backups are then unchanged.
void makeBackup(const std::filesystem::path& record, int keep, const std::atomic<bool>& stop);

/// Moves a damaged record away with all its files. Returns its new path.
std::filesystem::path setAside(const std::filesystem::path& record, std::int64_t utcMs);
/// Moves files of an earlier record away when a new one begins. Returns a sentence for each.
std::string setPastAside(const std::filesystem::path& record, std::int64_t utcMs);

/// Limits the files next to a record and returns their bytes. Of those set aside, the newest two
/// stay. Above `mostBytes` (0: no limit) the second goes, and the oldest backups; the newest and
/// the kept one always stay. Files with other names, as people give them, stay and do not count.
std::int64_t boundBeside(const std::filesystem::path& record, std::int64_t mostBytes,
                         std::int64_t nowUtcMs);

struct Restored {
  std::filesystem::path replaced;  ///< what was there is here now; empty: nothing was
  int snapshots = 0;               ///< whose files had been set aside, and are back
};

/// Replaces the record by a backup; nothing is lost if it is killed at any time. Throws
/// std::runtime_error, in one sentence, if another process writes the record, or the backup is
/// missing or damaged.
Restored restoreBackup(const std::filesystem::path& record, const std::string& name,
                       std::int64_t utcMs);

/// Makes one backup each night, in its own thread. Not for two threads at once.
class Backups {
 public:
  Backups(const std::filesystem::path& record, int keep);
  ~Backups();  ///< ends one that is being made
  Backups(const Backups&) = delete;
  Backups& operator=(const Backups&) = delete;

  /// Call this about once a minute. It begins a backup between three and four at night, local time,
  /// if the last one is half a day old, and at any hour if that is older than 25 hours. Failed
  /// backups are retried every hour. The reason is returned whenever it changes.
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
