// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/record/backup.h"
#include "monitor/record/forecast.h"
#include "monitor/record/record.h"
#include "monitor/record/retention.h"
#include "monitor/record/snapshot_files.h"
#include "monitor/record/store.h"
#include "monitor/record/waiting.h"

namespace mpm::monitor {

/// What befell the record while it was written.
struct Setback {
  std::string name, text;   ///< of the event that tells it
  bool isLost = false;      ///< of what was written lately some or all is not in the record
  bool isJournals = false;  ///< the file still is the record, and lacks what was in its journal
};

/// What the writing thread has: a store that is opened again whenever it was lost, and the runs of
/// this process, which any store it writes to gets to know. What throws std::runtime_error, one
/// sentence, has written nothing, and may be tried again. Not from two threads at once.
class Writer {
 public:
  Writer(const std::filesystem::path& path, const RecordOptions& options, Clock& clock);

  std::int64_t nextRun() { return store_->nextRun(); }               ///< right after construction
  int lostClips() const { return store_->lostClips(); }              ///< the same
  std::filesystem::path strays() const { return store_->strays(); }  ///< the same
  void begin(std::int64_t run, const RunFacts& facts) { runs_[run].facts = facts; }
  std::uint64_t write(const Batch& batch);  ///< how many of it are new rows
  void write(const EncodedSnapshot& snapshot);
  void writeView(const std::string& source, std::int64_t utcMs, const std::string& view);

  /// Whatever is due: checkpoint, retention, figures. `sync`: a checkpoint now.
  void upkeep(bool sync);
  void measure(RecordStatus& status);

  /// What happened since the last call, once the record is open again; right after construction,
  /// what it was found to be.
  std::optional<Setback> takeSetback();
  /// Why a backup could not be made, once.
  std::string takeBackupFault() { return std::exchange(backupFault_, {}); }
  Batch takePresent(Batch& batch);  ///< what the record has of these
  std::uint64_t rows() const { return store_ ? store_->rows() : 0; }  ///< new since it was opened

 private:
  struct Run {
    RunFacts facts;
    std::int64_t stored = 0;           // its id in the store that is open; 0: not yet there
    std::map<std::string, Event> way;  // of those written that change it, the newest of each kind
  };
  Store& ready();
  void giveUp(const Trouble& trouble);
  void countDamage(const Trouble& trouble, const Moment& now);
  void settle();
  std::string setPastAside();
  std::int64_t damagedRoom() const;
  std::int64_t besideBytes() const;
  std::int64_t storedAs(std::int64_t run);
  void keepWays(const Batch& batch);
  template <typename Work>
  void guarded(const Work& work);

  std::filesystem::path path_;
  RecordOptions options_;
  Clock& clock_;
  std::unique_ptr<Store> store_;
  std::map<std::int64_t, Run> runs_;
  Retention retention_;
  Forecast forecast_;
  bool wasOpen_ = false, more_ = true, unsynced_ = false;
  std::optional<std::int64_t> cleanedMs_;  // steady
  double mayMoveAside_;                    // so many damaged files
  std::int64_t movedMs_ = 0;               // steady; when that was last counted
  std::optional<Setback> setback_;
  std::optional<Backups> backups_;
  std::string backupFault_;
  std::int64_t backupBytes_ = 0, damagedBytes_ = 0;
  std::optional<std::int64_t> damagedMs_;  // steady; when these were bounded
  FileId lost_;  // the file that a setback is about, until the record is open again
  std::chrono::steady_clock::time_point synced_;
};

}  // namespace mpm::monitor
