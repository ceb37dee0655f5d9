// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "monitor/record/database.h"
#include "monitor/record/record.h"

namespace mpm::monitor {

/// Resolution, era, start and run: the oldest of the finest come first.
using BucketKey = std::tuple<Resolution, std::int32_t, std::int64_t, std::int64_t>;

/// Data that wait for the database. A repeated bucket or view replaces the waiting one.
struct Batch {
  std::map<BucketKey, Bucket> buckets;
  std::vector<std::pair<std::int64_t, Event>> events;                 // with their runs
  std::map<std::string, std::pair<std::int64_t, std::string>> views;  // by source: when, which

  std::size_t size() const { return buckets.size() + events.size() + views.size(); }
  std::size_t seconds() const {
    return static_cast<std::size_t>(std::count_if(
        buckets.begin(), buckets.end(),
        [](const auto& bucket) { return std::get<0>(bucket.first) == Resolution::second; }));
  }
  /// Puts a batch back; data that arrived in between take precedence.
  void putBack(Batch batch) {
    buckets.merge(batch.buckets);
    views.merge(batch.views);
    batch.events.insert(batch.events.end(), std::make_move_iterator(events.begin()),
                        std::make_move_iterator(events.end()));
    events = std::move(batch.events);
  }
};

/// Keeps a second writer out with flock() on `<record>-lock`, which holds the writer's process id.
/// The system releases it when the process ends in any way; the file stays. Readers ignore it.
/// SQLite's own locks would admit a second writer between two transactions, and its exclusive mode
/// would keep readers out.
class LockFile {
 public:
  /// Throws std::runtime_error, in one sentence, if another process writes or the file cannot be
  /// made.
  explicit LockFile(const std::filesystem::path& record);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  static std::filesystem::path pathOf(const std::filesystem::path& record);
  /// Tells whether a record was written here before. If so, a file at its path that is no record is
  /// a damaged one; otherwise it is somebody's other file.
  static bool wasClaimed(const std::filesystem::path& record);
  void claim();  ///< a record is written here

 private:
  int descriptor_ = -1;
};

/// Files of snapshots: STEM.labels.png, STEM.overlay.png, STEM.picture.jpg, STEM.merge-map.png,
/// STEM.clip.avi, STEM.json. The JSON comes last: if it exists, the others are complete.
class SnapshotFolder {
 public:
  explicit SnapshotFolder(const std::filesystem::path& record) : path_(snapshotFolderOf(record)) {}

  std::filesystem::path labels(const std::string& stem) const { return of(stem, ".labels.png"); }
  std::filesystem::path overlay(const std::string& stem) const { return of(stem, ".overlay.png"); }
  std::filesystem::path clip(const std::string& stem) const { return of(stem, ".clip.avi"); }
  std::filesystem::path picture(const std::string& stem) const { return of(stem, ".picture.jpg"); }
  std::filesystem::path mergeMap(const std::string& stem) const {
    return of(stem, ".merge-map.png");
  }
  std::filesystem::path json(const std::string& stem) const { return of(stem, ".json"); }

  /// Returns the text of its JSON. Throws std::runtime_error, in one sentence; it then leaves no
  /// files, and a clip is where it was.
  std::string write(const std::string& stem, const Snapshot& snapshot, std::int64_t run,
                    const RunFacts& facts) const;
  void undo(const std::string& stem, const Snapshot& snapshot) const;  ///< what write() did
  /// Ignores files that are already gone. Removes nothing for a stem that leads out of the folder,
  /// as another person's record may have.
  void remove(const std::string& stem) const;
  std::vector<std::string> stems() const;  ///< of the JSON files that are there, sorted
  std::int64_t bytes(const std::string& stem) const;
  /// Removes what a killed process left: half-written files, and pictures without a JSON whose stem
  /// is not in `known`, which is sorted. Returns how many were growing clips.
  int removeUnfinished(const std::vector<std::string>& known) const;
  /// Takes the files of a stem from another folder, unless they are here. Returns whether it did.
  bool takeFrom(const SnapshotFolder& other, const std::string& stem) const;

 private:
  std::filesystem::path of(const std::string& stem, const char* ending) const {
    return path_ / (stem + ending);
  }
  std::filesystem::path path_;
};

/// Throws std::invalid_argument, in one sentence: pictures that PNG cannot hold, facts that are no
/// JSON object.
void checkSnapshot(const Snapshot& snapshot);
/// Returns "20261121T014625.123Z-SOURCE-ID".
std::string snapshotStem(const Moment& taken, const std::string& source, std::int64_t id);

/// Limits deletion to data before a time, as far as their run's clock can be believed. A replay's
/// data are from 1970 and as old as its run. A run that seems to begin in the future began with a
/// wrong clock; its data after that was set are as old as they say.
struct Age {
  std::int64_t beforeUtcMs = std::numeric_limits<std::int64_t>::max();
  std::int64_t nowUtcMs = std::numeric_limits<std::int64_t>::max();
};
/// SQL for the runs of an age, with its two members as ?1 and ?2.
constexpr const char* kRunsOfAge =
    "(SELECT id FROM run WHERE begun_utc_ms < ?1 OR (begun_utc_ms > ?2 AND settings NOT LIKE "
    "'%\"replay\":true%'))";

enum class SnapshotKind { any, clips, pictures };

/// Problem with the files of an open record.
struct Trouble {
  enum class Kind {
    none,
    gone,    ///< another file lies at the path, or none
    damaged  ///< cut off, or another connection does not read what was written
  };
  Kind kind = Kind::none;
  std::string text = {};  ///< what was found, for people: "it was removed"
};

/// A record open for writing: its lock, database and snapshots. Everything throws
/// std::runtime_error, in one sentence, and undoes what it began. Not for two threads at once.
class Store {
 public:
  /// Sets a damaged file aside, and any file if `isDamaged`. `isFirst` means the first of this
  /// process: unfinished files in the folder of snapshots come from an earlier one and are removed.
  Store(const std::filesystem::path& record, std::int64_t journalBytes, std::int64_t utcMs,
        bool isFirst, bool isDamaged);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::filesystem::path& aside() const { return aside_; }  ///< where a damaged one is now
  bool isNew() const { return isNew_; }
  bool hasName() const;                         ///< the file that is open; else it was removed
  int lostClips() const { return lostClips_; }  ///< that an earlier process did not finish
  std::int64_t newestUtcMs() const { return newestUtcMs_; }  ///< of what was there at the start
  std::uint64_t rows() const { return rows_; }  ///< put in since it was opened, replaced ones once
  std::int64_t nextRun() { return database_->number("SELECT coalesce(max(id), 0) + 1 FROM run"); }

  /// Stores a run with its `way` in one transaction. Returns its id: `id`, or a new one if another
  /// run has that. `isAgain` means that it was stored before, and is found if that was here.
  std::int64_t addRun(std::int64_t id, const RunFacts& facts, const std::vector<Event>& way,
                      bool isAgain);
  /// Writes in one transaction. `storedAs` maps a run of the batch to its id here.
  void write(const Batch& batch, const std::function<std::int64_t(std::int64_t)>& storedAs);
  /// Writes the files first: a row always has its files, and files without a row are found at the
  /// start.
  void write(const Snapshot& snapshot, std::int64_t run, const RunFacts& facts);
  /// Removes the `most` oldest snapshots of an age; returns how many.
  int removeSnapshots(int most, const Age& age, SnapshotKind kind = SnapshotKind::any);

  Trouble look();     ///< through a second connection
  void checkpoint();  ///< everything committed is on the disk then
  /// Marks a damaged record that is about to be destroyed: its files stay unchanged.
  void leaveAsItIs() { database_->leaveFilesWhenClosed(); }
  std::int64_t snapshotBytes(SnapshotKind kind = SnapshotKind::any) const {
    return snapshotBytes_[static_cast<std::size_t>(kind)];
  }
  std::int64_t bytes() const;  ///< of the database, its journal and its snapshots
  Database& database() { return *database_; }

 private:
  void adoptSnapshots(bool isFirst);
  void adopt(const std::string& stem);
  bool isReadBack();
  void put(std::int64_t run, const Event& event);

  std::filesystem::path path_;
  std::optional<LockFile> lock_;
  SnapshotFolder folder_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Statement> upsert_, event_;
  int handle_ = -1;  // of the path alone: it reads nothing and holds no lock
  FileId file_, journal_;
  std::filesystem::path aside_;
  bool isNew_ = false;
  std::int64_t newestUtcMs_ = 0, knownBytes_ = 0;
  std::uint64_t rows_ = 0;
  int lostClips_ = 0;
  std::array<std::int64_t, 3> snapshotBytes_{};  // by kind
  std::optional<BucketKey> newest_;              // of the bucket that was written last
};

/// Returns the journal's part of `options.mostBytes`.
std::int64_t journalLimit(const RecordOptions& options);

constexpr std::size_t kKindsOfRows = 6;

/// Deletes what is too old or too much, in small transactions, and returns space to the disk.
///
/// Excess is removed oldest first, among seconds, minutes, hours, days, events and snapshots alike.
/// A kind that takes less than its sixth of the limit is spared: the few days of ten years need not
/// go for the many seconds of today.
///
/// A wall clock that was just set is not believed. Nothing is deleted by age until the clock has
/// been stable for a day. The same holds after opening a record with a newest row over a day old. A
/// clock that is wrong for a while thus costs nothing.
class Retention {
 public:
  explicit Retention(const RecordOptions& options) : options_(options) {}

  void begin(const Store& store);  ///< when a store is opened
  /// Call this at least once a minute. It works for about a tenth of a second and returns whether
  /// there is more to do. `besideBytes` count as well, but others remove them.
  bool work(Store& store, const Moment& now, std::int64_t besideBytes);
  /// Returns when the disk will be full, at the pace of the last day, or since the start if that is
  /// shorter. Returns std::nullopt if it is too early, it does not grow, or the limit stops it
  /// before.
  std::optional<double> daysToFull(std::int64_t steadyMs, std::int64_t bytes,
                                   std::int64_t freeBytes, std::int64_t besideBytes);

 private:
  bool believes(const Moment& now);
  bool removeOld(Store& store, std::int64_t nowUtcMs) const;
  bool removeExcess(Store& store, std::int64_t besideBytes);
  bool shrink(Store& store) const;
  void weigh(Database& database);
  std::size_t next(Database& database) const;

  RecordOptions options_;
  std::optional<std::int64_t> newestUtcMs_;
  std::optional<std::int32_t> era_;
  std::int64_t believedFromMs_ = 0;                          // steady
  bool isTooMuch_ = false;                                   // until it is well below the limit
  std::array<std::int64_t, kKindsOfRows> bytes_{}, each_{};  // of all rows of a kind, of one
  std::deque<std::pair<std::int64_t, std::int64_t>> past_;   // steady, bytes: one in ten minutes
};

}  // namespace mpm::monitor
