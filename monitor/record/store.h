// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "monitor/record/database.h"
#include "monitor/record/inspection.h"
#include "monitor/record/record.h"
#include "monitor/record/record_path.h"
#include "monitor/record/snapshot_files.h"
#include "monitor/record/waiting.h"

namespace mpm::monitor {

constexpr std::int64_t kCheckpointMs = 30000;  ///< what a power cut can cost at most

/// What is of before a time goes, as far as its run's clock can be believed: what a replay sees is
/// of 1970, and as old as its run. A run that seems to begin later than now began with a clock that
/// was ahead; what it saw once that was set is as old as it says.
struct Age {
  std::int64_t beforeUtcMs = std::numeric_limits<std::int64_t>::max();
  std::int64_t nowUtcMs = std::numeric_limits<std::int64_t>::max();
};
/// In SQL, with the two as ?1 and ?2, of a row of `run`.
constexpr const char* kIsOfAge =
    "(begun_utc_ms < ?1 OR (begun_utc_ms > ?2 AND settings NOT LIKE '%\"replay\":true%'))";

enum class SnapshotKind { any, clips, pictures };

/// One record, open for writing: its lock, its database, its snapshots. Everything throws
/// std::runtime_error, one sentence; what was begun is undone then. Not from two threads at once.
class Store {
 public:
  /// `isFirst`: of this process, so that what is not finished in the folder of snapshots was left
  /// by an earlier one, and goes.
  Store(const std::filesystem::path& path, std::int64_t journalBytes, std::int64_t utcMs,
        bool isFirst);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::filesystem::path& path() const { return path_; }        ///< links resolved
  const std::filesystem::path& damaged() const { return damaged_; }  ///< as OpenedRecord::damaged
  /// Where snapshots lie now that were here, of runs that it does not know; empty: there were none.
  const std::filesystem::path& strays() const { return strays_; }
  int lostClips() const { return lostClips_; }  ///< that an earlier process did not finish
  std::int64_t newestUtcMs() const { return newestUtcMs_; }  ///< of what was there at the start
  std::int64_t nextRun();
  Trouble look();  ///< what is wrong with its files, and whether what was written is read back
  bool hasName() const { return inspection_->hasName(); }  ///< else it was removed
  const FileId& file() const { return inspection_->file(); }
  std::uint64_t rows() const { return rows_; }  ///< put in since it was opened, replaced ones once
  /// Takes from these what is in it, of buckets any version.
  Batch takePresent(Batch& batch, const std::function<std::int64_t(std::int64_t)>& storedAs);

  /// Stores a run under `id`, or under another where that belongs to another run; the id that it
  /// has then. A run that is there already is not stored again.
  std::int64_t addRun(std::int64_t id, const RunFacts& facts);
  /// One transaction. `storedAs` tells what id a run of the batch has here.
  void write(const Batch& batch, const std::function<std::int64_t(std::int64_t)>& storedAs);
  /// The files first: a row always leads to files, and files without a row are found at the start.
  void write(const EncodedSnapshot& snapshot, std::int64_t run, const RunFacts& facts);
  void writeView(const std::string& source, std::int64_t utcMs, const std::string& view);
  /// The `most` oldest snapshots of an age; how many went.
  int removeSnapshots(int most, const Age& age, SnapshotKind kind = SnapshotKind::any);

  /// Everything committed is on the disk then; or what is wrong with its files, and nothing was
  /// done.
  Trouble checkpoint();
  std::int64_t journalBytes() const;   ///< of its file
  std::int64_t unsyncedBytes() const;  ///< of it since the last checkpoint
  std::int64_t fileBytes() const;      ///< of the database, without the journal
  std::int64_t snapshotBytes() const { return snapshotBytes_; }  ///< clips included
  std::int64_t clipBytes() const { return clipBytes_; }
  std::int64_t pictureBytes() const { return pictureBytes_; }  ///< of snapshots with a picture
  Database& database() { return *database_; }
  // What was found to be wrong, and ends with this store; only to be destroyed then:
  void moveAsideNow(std::int64_t utcMs);  ///< the database
  void leaveJournal();                    ///< its journal: what of it is sound is kept

 private:
  bool bindAndRun(Statement& upsert, std::int64_t run,
                  const Series::Changed& changed);  // whether it is new
  bool isReadBack();
  void moveJournalIn();  // into the database
  void leave();          // a file that is no longer at its path
  void adoptSnapshots(bool isFirst, std::int64_t utcMs);
  bool adopt(const std::string& stem);

  std::filesystem::path path_;
  LockFile lock_;
  SnapshotFolder folder_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Inspection> inspection_;
  std::unique_ptr<Statement> upsert_, event_, snapshot_;
  std::filesystem::path damaged_, strays_;
  std::int64_t newestUtcMs_ = 0, snapshotBytes_ = 0, clipBytes_ = 0, pictureBytes_ = 0;
  std::uint64_t rows_ = 0;
  int lostClips_ = 0;
  struct Place {
    std::int64_t run, resolution, era, startUtcMs;
  };
  std::optional<Place> newest_;  // of the bucket that was written last
  std::chrono::steady_clock::time_point readBack_;
  int unsyncedPages_ = 0;
};

}  // namespace mpm::monitor
