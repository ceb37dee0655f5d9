// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/store.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "monitor/record/backup.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kBusyMs = 250;
constexpr std::chrono::seconds kLookFor{2};

constexpr const char* kUpsert =
    "INSERT INTO bucket(run, resolution, era, start_utc_ms, frames, tallies) "
    "VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(run, resolution, era, start_utc_ms) "
    "DO UPDATE SET frames = excluded.frames, tallies = excluded.tallies";
constexpr const char* kEvent =
    "INSERT INTO event(run, utc_ms, steady_ms, era, synchronised, kind, name, text, value) "
    "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
constexpr const char* kSnapshot =
    "INSERT INTO snapshot(run, utc_ms, steady_ms, era, synchronised, reason, stem, labels, "
    "overlay, picture, merge_map, bytes, facts) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
    "?11, ?12, ?13";

std::string isOf(SnapshotKind kind) {
  if (kind == SnapshotKind::pictures) return " WHERE picture = 1 AND overlay = 0";
  return kind == SnapshotKind::clips ? " WHERE labels = 0 AND overlay = 0 AND picture = 0"
                                     : " WHERE 1";
}

// Tells whether it is no database. Opening reports an empty or unreadable file.
bool isStrange(const fs::path& record) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::array<char, kMagic.size()> start{};
  std::ifstream file(record, std::ios::binary);
  file.read(start.data(), start.size());
  return file.gcount() > 0 && std::string_view(start.data(), start.size()) != kMagic;
}

// Checks for two seconds at most: a large record must not keep a camera waiting.
void lookThrough(Database& database) {
  constexpr int kInstructions = 10000;
  auto end = std::chrono::steady_clock::now() + kLookFor;
  const auto isOver = [](void* until) {
    using Time = std::chrono::steady_clock::time_point;
    return std::chrono::steady_clock::now() > *static_cast<Time*>(until) ? 1 : 0;
  };
  sqlite3_progress_handler(database.get(), kInstructions, isOver, &end);
  try {
    database.checkSound("quick_check");
  } catch (const DatabaseError& error) {
    if (error.code() != SQLITE_INTERRUPT) throw;
  }
  sqlite3_progress_handler(database.get(), 0, nullptr, nullptr);
}

std::unique_ptr<Database> opened(const fs::path& record, bool& isNew) {
  auto database = std::make_unique<Database>(record, Database::Access::readWrite, kBusyMs);
  try {
    isNew = schemaVersion(*database) == 0;
    if (!isNew) lookThrough(*database);
    // Saves nine waits for the disk before an earlier record's fate can be reported. The first
    // checkpoint, in a moment, writes everything to the disk.
    if (isNew) database->run("PRAGMA synchronous = OFF");
    bringUpToDate(*database);
    prepareForWriting(*database);
  } catch (const DatabaseError& error) {
    if (error.isDamage()) database->leaveFilesWhenClosed();
    throw;
  }
  return database;
}

}  // namespace

fs::path LockFile::pathOf(const fs::path& record) { return record.string() + "-lock"; }
bool LockFile::wasClaimed(const fs::path& record) { return fileBytes(pathOf(record)) > 0; }

LockFile::LockFile(const fs::path& record) {
  const fs::path path = pathOf(record);
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    throw std::runtime_error("The record \"" + record.string() +
                             "\" cannot be written: its lock \"" + path.string() +
                             "\" cannot be created (" + std::strerror(errno) + ")");
  }
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int error = errno;
  std::string id;
  std::getline(std::ifstream(path), id);
  close(descriptor_);
  if (error != EWOULDBLOCK) {
    throw std::runtime_error("The record \"" + record.string() + "\" cannot be locked (" +
                             std::strerror(error) + ")");
  }
  throw std::runtime_error("Another process" + (id.empty() ? id : " (" + id + ")") +
                           " is writing to \"" + record.string() +
                           "\": stop it, or record into another file");
}

void LockFile::claim() {
  // Only matters after a mishap: a full disk is no reason not to record.
  const std::string id = std::to_string(getpid()) + "\n";
  if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, id.data(), id.size(), 0) < 0) return;
}

LockFile::~LockFile() { close(descriptor_); }

Store::Store(const fs::path& record, std::int64_t journalBytes, std::int64_t utcMs, bool isFirst,
             bool isDamaged)
    : path_(recordPath(record)), folder_(path_) {
  const bool wasRecord = LockFile::wasClaimed(path_);
  if (!wasRecord && isStrange(path_)) {
    throw std::runtime_error("\"" + path_.string() +
                             "\" is not a record, and stays as it is: record into another file");
  }
  lock_.emplace(path_);
  if (isDamaged || isStrange(path_)) aside_ = setAside(path_, utcMs);
  try {
    database_ = opened(path_, isNew_);
  } catch (const DatabaseError& error) {
    if (!error.isDamage()) throw;
    // A damaged database of another program still belongs to it.
    if (!wasRecord)
      throw std::runtime_error(std::string(error.what()) + ": record into another file");
    aside_ = setAside(path_, utcMs);
    database_ = opened(path_, isNew_);
  } catch (const std::runtime_error&) {  // another program's, which keeps no trace of us
    std::error_code ignored;
    if (!wasRecord) fs::remove(LockFile::pathOf(path_), ignored);
    throw;
  }
  lock_->claim();
  database_->run("PRAGMA journal_size_limit = " + std::to_string(journalBytes) +
                 "; PRAGMA wal_autocheckpoint = " + std::to_string(journalBytes / 2 / kPageBytes));
  upsert_ = std::make_unique<Statement>(*database_, kUpsert);
  event_ = std::make_unique<Statement>(*database_, kEvent);
  newestUtcMs_ = database_->number(
      "SELECT max(coalesce((SELECT max(start_utc_ms) FROM bucket WHERE resolution = 0), 0), "
      "coalesce((SELECT max(start_utc_ms) FROM bucket WHERE resolution = 1), 0), "
      "coalesce((SELECT max(begun_utc_ms) FROM run), 0))");
  adoptSnapshots(isFirst);
  for (const auto kind : {SnapshotKind::any, SnapshotKind::clips, SnapshotKind::pictures}) {
    snapshotBytes_[static_cast<std::size_t>(kind)] =
        database_->number("SELECT coalesce(sum(bytes), 0) FROM snapshot" + isOf(kind));
  }
  handle_ = open(path_.c_str(), O_PATH | O_CLOEXEC);
  file_ = fileIdOf(path_);
  journal_ = fileIdOf(path_.string() + "-wal");
  knownBytes_ = fileBytes(path_);
}

// Gives a moved file all its data. Its journal must not stay, or it would be applied to another
// file at the path. Nobody else can read a journal that was removed, and while somebody reads,
// closing alone does not copy it.
Store::~Store() {
  try {
    const std::string journal = path_.string() + "-wal";
    const bool isMoved = fileIdOf(path_) != file_, isJournalThere = fileIdOf(journal) == journal_;
    if (isMoved) {
      database_->leaveFilesWhenClosed();
      std::error_code ignored;
      if (isJournalThere) {
        fs::remove(journal, ignored);
        fs::remove(path_.string() + "-shm", ignored);
      }
    }
    if (isMoved || !isJournalThere) checkpoint();
  } catch (const std::exception&) {
    // The file left its path; data that could not be saved in its new place are not missed here.
  }
  if (handle_ >= 0) close(handle_);
}

bool Store::hasName() const {
  struct stat state {};
  return handle_ >= 0 && fstat(handle_, &state) == 0 && state.st_nlink > 0;
}

Trouble Store::look() {
  const FileId now = fileIdOf(path_);
  if (now != file_) {
    return {Trouble::Kind::gone, now.number != 0 ? "another file is in its place"
                                 : hasName()     ? "it was moved away"
                                                 : "it was removed"};
  }
  if (access(path_.c_str(), R_OK | W_OK) != 0) {
    throw std::runtime_error("The record \"" + path_.string() +
                             "\" may no longer be read and written (" + std::strerror(errno) +
                             "): give this program the permission again");
  }
  try {
    const std::int64_t pages = database_->number("PRAGMA page_count");
    if (fileBytes(path_) < std::min(knownBytes_, pages * kPageBytes)) {
      return {Trouble::Kind::damaged, "it was cut off"};
    }
    if (isReadBack()) return {};
    return {Trouble::Kind::damaged, "another program does not read what was written last"};
  } catch (const DatabaseError& error) {
    if (!error.isDamage()) throw;
    return {Trouble::Kind::damaged, "SQLite cannot read it"};
  }
}

// Also reads the newest run and the oldest second, which are not in the journal. The newest row is
// in the journal, whatever happened to the file.
bool Store::isReadBack() {
  const auto read = [this](Database& from) {
    std::string found = std::to_string(from.number("SELECT max(id) FROM run"));
    from.number(
        "SELECT length(tallies) FROM bucket WHERE resolution = 0 ORDER BY start_utc_ms LIMIT 1");
    if (!newest_) return found;
    Statement row(from,
                  "SELECT tallies FROM bucket WHERE run = ?1 AND resolution = ?2 AND era = ?3 AND "
                  "start_utc_ms = ?4");
    const auto& [resolution, era, startUtcMs, run] = *newest_;
    row.bind(run, static_cast<int>(resolution), era, startUtcMs);
    return row.step() ? found + std::string(row.blob(0)) : found;
  };
  Database other(path_, Database::Access::readOnly, kBusyMs);
  const auto isSame = [&] { return read(other) == read(*database_); };
  return isSame() || isSame();  // another program may have deleted a row in between
}

void Store::put(std::int64_t run, const Event& event) {
  event_->bind(run, event.at.utcMs, event.at.steadyMs, event.at.era, event.at.synchronised,
               event.kind, event.name, event.text, event.value);
  event_->run();
}

std::int64_t Store::addRun(std::int64_t id, const RunFacts& facts, const std::vector<Event>& way,
                           bool isAgain) {
  if (isAgain) {
    const std::int64_t same = database_->number(
        "SELECT id FROM run WHERE source = ?2 AND model_hash = ?3 AND begun_utc_ms = ?4 AND "
        "begun_steady_ms = ?5 ORDER BY id <> ?1, id",
        id, facts.source, facts.modelHash, facts.begun.utcMs, facts.begun.steadyMs);
    if (same > 0) return same;
  }
  if (database_->number("SELECT count(*) FROM run WHERE id = ?1", id) > 0) id = nextRun();
  Transaction transaction(*database_);
  database_->change(
      "INSERT INTO run(id, source, address, model, model_hash, settings, version, metrics, "
      "begun_utc_ms, begun_steady_ms, begun_era, begun_synchronised) "
      "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
      id, facts.source, facts.address, facts.model, facts.modelHash, facts.settings, facts.version,
      Json(facts.metrics).dump(-1, ' ', false, Json::error_handler_t::replace), facts.begun.utcMs,
      facts.begun.steadyMs, facts.begun.era, facts.begun.synchronised);
  for (const Event& event : way) put(id, event);
  transaction.commit();
  return id;
}

void Store::write(const Batch& batch, const std::function<std::int64_t(std::int64_t)>& storedAs) {
  std::uint64_t rows = 0;
  Transaction transaction(*database_);
  for (const auto& [key, bucket] : batch.buckets) {
    const auto& [resolution, era, startUtcMs, run] = key;
    upsert_->bind(storedAs(run), static_cast<int>(resolution), era, startUtcMs,
                  Blob{encodeFrames(bucket.frames)}, Blob{encodeTallies(bucket.tallies)});
    // An update keeps the number of the last inserted row.
    sqlite3_set_last_insert_rowid(database_->get(), 0);
    upsert_->run();
    rows += sqlite3_last_insert_rowid(database_->get()) != 0 ? 1 : 0;
  }
  for (const auto& [run, event] : batch.events) {
    put(storedAs(run), event);
    ++rows;
  }
  for (const auto& [source, view] : batch.views) {
    database_->run(
        "CREATE TABLE IF NOT EXISTS camera_view("
        "source TEXT PRIMARY KEY, utc_ms INTEGER NOT NULL, view BLOB NOT NULL)");
    database_->change("INSERT OR REPLACE INTO camera_view VALUES(?1, ?2, ?3)", source, view.first,
                      Blob{view.second});
  }
  transaction.commit();
  rows_ += rows;
  if (batch.buckets.empty()) return;
  newest_ = batch.buckets.begin()->first;
  std::get<3>(*newest_) = storedAs(std::get<3>(*newest_));
}

void Store::write(const Snapshot& snapshot, std::int64_t run, const RunFacts& facts) {
  const std::int64_t id = database_->number("SELECT coalesce(max(id), 0) + 1 FROM snapshot");
  const std::string stem = snapshotStem(snapshot.taken, facts.source, id);
  const std::string description = folder_.write(stem, snapshot, run, facts);
  try {
    const Moment& at = snapshot.taken;
    database_->change(kSnapshot, run, at.utcMs, at.steadyMs, at.era, at.synchronised,
                      snapshot.reason, stem, !snapshot.labels.empty(), !snapshot.overlay.empty(),
                      !snapshot.picture.empty(), !snapshot.mergeMap.empty(), folder_.bytes(stem),
                      description);
  } catch (...) {
    folder_.undo(stem, snapshot);  // it is tried again
    throw;
  }
  const std::int64_t bytes = folder_.bytes(stem);
  snapshotBytes_[0] += bytes;
  if (!snapshot.clip.empty()) snapshotBytes_[1] += bytes;
  if (!snapshot.picture.empty() && snapshot.overlay.empty()) snapshotBytes_[2] += bytes;
  ++rows_;
}

int Store::removeSnapshots(int most, const Age& age, SnapshotKind kind) {
  std::vector<std::pair<std::int64_t, std::string>> oldest;
  std::array<std::int64_t, 3> bytes = snapshotBytes_;
  {
    Statement rows(*database_,
                   "SELECT id, stem, bytes, labels + overlay + picture = 0, picture > overlay "
                   "FROM snapshot" +
                       isOf(kind) + " AND utc_ms < ?1 AND run IN " + kRunsOfAge +
                       " ORDER BY utc_ms LIMIT ?3");
    rows.bind(age.beforeUtcMs, age.nowUtcMs, most);
    while (rows.step()) {
      oldest.emplace_back(rows.number(0), rows.text(1));
      bytes[0] -= rows.number(2);
      for (int i = 1; i < 3; ++i) bytes[i] -= rows.number(2 + i) * rows.number(2);
    }
  }
  if (oldest.empty()) return 0;
  Transaction transaction(*database_);
  for (const auto& [id, stem] : oldest) {
    database_->change("DELETE FROM snapshot WHERE id = ?1", id);
  }
  transaction.commit();
  for (const auto& [id, stem] : oldest) folder_.remove(stem);
  snapshotBytes_ = bytes;
  return static_cast<int>(oldest.size());
}

std::int64_t Store::bytes() const {
  return fileBytes(path_) + fileBytes(path_.string() + "-wal") + snapshotBytes();
}

void Store::checkpoint() {
  // PASSIVE waits for no reader; what one still needs is left for the next time.
  const int code = sqlite3_wal_checkpoint_v2(database_->get(), nullptr, SQLITE_CHECKPOINT_PASSIVE,
                                             nullptr, nullptr);
  if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY) database_->fail(code);
  knownBytes_ = fileBytes(path_);
}

// Recreates rows of snapshots with complete files whose row was lost in a power cut. Otherwise they
// would count nowhere, and stay for ever.
void Store::adoptSnapshots(bool isFirst) {
  std::vector<std::string> known;
  {
    Statement rows(*database_, "SELECT stem FROM snapshot ORDER BY stem");
    while (rows.step()) known.push_back(rows.text(0));
  }
  if (isFirst) lostClips_ = folder_.removeUnfinished(known);
  if (isNew_) return;
  for (const std::string& stem : folder_.stems()) {
    if (std::binary_search(known.begin(), known.end(), stem)) continue;
    try {
      adopt(stem);
    } catch (const DatabaseError& error) {
      if (!error.isFull()) throw;
      return;  // the next start will find them
    } catch (const Json::exception&) {
    }
  }
}

// Rejects a snapshot of a run that the record lacks, since another run may have its number.
void Store::adopt(const std::string& stem) {
  std::ifstream file(folder_.json(stem), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Json json = Json::parse(text);
  const Json &taken = json.at("snapshot"), &run = json.at("run");
  const auto has = [](const fs::path& path) { return fs::exists(path); };
  database_->change(
      std::string(kSnapshot) +
          " WHERE EXISTS (SELECT 1 FROM run WHERE id = ?1 AND source = ?14 AND begun_utc_ms = ?15)",
      run.at("id").get<std::int64_t>(), taken.at("utc_ms").get<std::int64_t>(),
      taken.at("steady_ms").get<std::int64_t>(), taken.at("era").get<std::int32_t>(),
      taken.at("synchronised").get<bool>(), taken.at("reason").get<std::string>(), stem,
      has(folder_.labels(stem)), has(folder_.overlay(stem)), has(folder_.picture(stem)),
      has(folder_.mergeMap(stem)), folder_.bytes(stem), text, run.at("source").get<std::string>(),
      run.at("begun_utc_ms").get<std::int64_t>());
}

}  // namespace mpm::monitor
