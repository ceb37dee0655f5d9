// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "monitor/clock/clock.h"

/// Copies of a record beside it: RECORD.backup-1 is the newest, RECORD.backup-2 the one before, ...
/// All of it is in them but seconds, which take the most and are kept for days at most; snapshots
/// with their rows, not their files. Each is a record of its own, which export reads. A record that
/// is given by a link has them beside the file itself (record_path.h).
namespace mpm::monitor {

/// A backup of another record than is there now stays besides, as RECORD.backup-kept-TIME: else it
/// would go as many nights after a damage as backups are kept, and with it the last of the history.
/// Of these the largest three are kept.
constexpr std::size_t kMostKept = 3;

/// Of a path with links resolved; so are all below but makeBackup and restoreBackup. `name`: a
/// number, or as keptBackups has it.
std::filesystem::path backupOf(const std::filesystem::path& record, const std::string& name);
std::filesystem::path backupOf(const std::filesystem::path& record, int number);

/// Makes one of how the record is at this moment, looks through it, and lets go of what is more
/// than `keep`. Whoever writes the record goes on meanwhile. std::runtime_error, one sentence; then
/// the ones before are as they were, as where `stop` becomes true.
void makeBackup(const std::filesystem::path& record, int keep, const std::atomic<bool>& stop);

/// Where a new record was begun: the newest backup is of the one before, and becomes a kept one.
/// Its name; empty: there is none, or it cannot be renamed.
std::string keepNewestBackup(const std::filesystem::path& record, std::int64_t utcMs);
/// "kept-TIME" of each, the newest first.
std::vector<std::string> keptBackups(const std::filesystem::path& record);

/// How many bytes all backups of a record take; of more than `mostBytes` (0: no limit) the oldest
/// go, and kept ones before these, but the newest and the largest kept one stay whatever they take.
std::int64_t boundBackups(const std::filesystem::path& record, std::int64_t mostBytes);

struct Restored {
  std::filesystem::path replaced;  ///< what was there, RECORD.replaced-TIME now, which counts
                                   ///< among damaged records (damaged_files.h); empty: nothing was
  int snapshots = 0;               ///< whose files had been moved aside, and are back
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
