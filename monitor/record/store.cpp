// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/store.h"

#include <sqlite3.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "monitor/record/blobs.h"
#include "monitor/record/opening.h"
#include "monitor/record/record_path.h"
#include "monitor/record/schema.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUpsert =
    "INSERT INTO bucket(run, resolution, era, start_utc_ms, frames, tallies) "
    "VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(run, resolution, era, start_utc_ms) "
    "DO UPDATE SET frames = excluded.frames, tallies = excluded.tallies";
// One that is written once more, since it was not known whether it is there, is not there twice.
const std::string kSameEvent =
    "EXISTS (SELECT 1 FROM event WHERE run = ?1 AND utc_ms = ?2 AND steady_ms = ?3 AND era = ?4 "
    "AND synchronised = ?5 AND kind = ?6 AND name = ?7 AND text = ?8)";
const std::string kEvent =
    "INSERT INTO event(run, utc_ms, steady_ms, era, synchronised, kind, name, text, value) "
    "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE NOT " +
    kSameEvent;
constexpr const char* kSnapshot =
    "INSERT INTO snapshot(id, run, utc_ms, steady_ms, era, synchronised, reason, stem, labels, "
    "overlay, bytes, facts, picture, merge_map) VALUES(?6, ?1, ?2, ?3, ?4, ?5, ?7, ?8, ?9, ?10, "
    "?11, ?12, ?13, ?14)";

std::string isOf(SnapshotKind kind) {
  if (kind == SnapshotKind::pictures) return " WHERE picture = 1 AND overlay = 0";
  return kind == SnapshotKind::clips ? " WHERE labels = 0 AND overlay = 0 AND picture = 0"
                                     : " WHERE 1";
}

std::int64_t bytesOf(Database& database, SnapshotKind kind) {
  return database.number(("SELECT coalesce(sum(bytes), 0) FROM snapshot" + isOf(kind)).c_str());
}

// Parameters 1 to 5.
void bindMoment(Statement& insert, std::int64_t run, const Moment& at) {
  insert.bind(1, run).bind(2, at.utcMs).bind(3, at.steadyMs);
  insert.bind(4, std::int64_t{at.era}).bind(5, std::int64_t{at.synchronised});
}

bool isThere(Database& database, std::int64_t id, const RunFacts& facts) {
  Statement same(database,
                 "SELECT 1 FROM run WHERE id = ?1 AND source = ?2 AND model_hash = ?3 "
                 "AND begun_utc_ms = ?4 AND begun_steady_ms = ?5");
  same.bind(1, id).bindText(2, facts.source).bindText(3, facts.modelHash);
  return same.bind(4, facts.begun.utcMs).bind(5, facts.begun.steadyMs).step();
}

bool exists(Statement& statement) {
  const bool found = statement.step();
  if (found) statement.run();  // to its end: it can be bound anew
  return found;
}

// "a" and "a.sqlite" have one folder of snapshots, of which either would take what is the other's.
void refuseTwin(const fs::path& record) {
  fs::path twin = record;
  if (record.extension() == ".sqlite") {
    twin.replace_extension();
  } else {
    twin += ".sqlite";
  }
  std::error_code ignored;
  const bool isRecord =
      fs::is_regular_file(twin, ignored) && fs::exists(LockFile::pathOf(twin), ignored);
  if (!isRecord) return;
  throw std::runtime_error("\"" + record.string() + "\" would share its snapshots (\"" +
                           SnapshotFolder::pathOf(record).string() + "\") with the record \"" +
                           twin.string() + "\": record into a file of another name");
}

bool isTaken(Database& database, std::int64_t id) {
  Statement taken(database, "SELECT 1 FROM run WHERE id = ?1");
  return taken.bind(1, id).step();
}

}  // namespace

Store::Store(const fs::path& path, std::int64_t journalBytes, std::int64_t utcMs, bool isFirst)
    : path_(recordPath(path)), lock_(path_), folder_(path_) {
  if (isFirst) refuseTwin(path_);
  OpenedRecord opened = openForWriting(path_, lock_.wasClaimed(), utcMs);
  database_ = std::move(opened.database);
  damaged_ = std::move(opened.damaged);
  lock_.claim();
  database_->run(("PRAGMA journal_size_limit = " + std::to_string(journalBytes)).c_str());
  upsert_ = std::make_unique<Statement>(*database_, kUpsert);
  event_ = std::make_unique<Statement>(*database_, kEvent);
  snapshot_ = std::make_unique<Statement>(*database_, kSnapshot);
  newestUtcMs_ = database_->number(
      "SELECT max(coalesce((SELECT max(start_utc_ms) FROM bucket WHERE resolution = 0), 0), "
      "coalesce((SELECT max(start_utc_ms) FROM bucket WHERE resolution = 1), 0), "
      "coalesce((SELECT max(begun_utc_ms) FROM run), 0))");
  inspection_ = std::make_unique<Inspection>(*database_);
  sqlite3_wal_hook(
      database_->get(),
      [](void* self, sqlite3*, const char*, int journalPages) {
        static_cast<Store*>(self)->unsyncedPages_ = journalPages;
        static_cast<Store*>(self)->inspection_->committed();
        return SQLITE_OK;
      },
      this);
  adoptSnapshots(isFirst, utcMs);
  snapshotBytes_ = bytesOf(*database_, SnapshotKind::any);
  clipBytes_ = bytesOf(*database_, SnapshotKind::clips);
  pictureBytes_ = bytesOf(*database_, SnapshotKind::pictures);
}

Store::~Store() {
  try {
    if (database_ && inspection_ && fileIdOf(path_) != file()) leave();
  } catch (const std::exception&) {
    // It is gone from its path; what could not be saved for its new one is not missed here.
  }
}

// Whoever moved the file gets all of it, and its journal does not stay to be taken for that of
// another file at the path: it would be played into that.
void Store::leave() {
  database_->leaveFilesWhenClosed();
  const std::string path = path_.string();
  const FileId& journal = inspection_->journal();
  if (journal.number != 0 && fileIdOf(path + "-wal") == journal) {
    std::error_code ignored;
    fs::remove(path + "-wal", ignored);
    fs::remove(path + "-shm", ignored);
  }
  moveJournalIn();
}

std::int64_t Store::nextRun() {
  return database_->number("SELECT coalesce(max(id), 0) + 1 FROM run");
}

Trouble Store::look() {
  constexpr std::chrono::seconds kEvery{2};
  Trouble trouble = inspection_->look();
  const auto now = std::chrono::steady_clock::now();
  if (trouble.kind != Trouble::Kind::none || now - readBack_ < kEvery) return trouble;
  readBack_ = now;
  if (isReadBack()) return {};
  return {Trouble::Kind::journal, "another program does not read what was written last"};
}

// As another program reads it, from the file that lies there.
bool Store::isReadBack() {
  if (!newest_) return true;
  const auto tallies = [&](Database& from) -> std::optional<std::string> {
    Statement row(from,
                  "SELECT tallies FROM bucket WHERE run = ?1 AND resolution = ?2 AND era = ?3 AND "
                  "start_utc_ms = ?4");
    row.bind(1, newest_->run).bind(2, newest_->resolution).bind(3, newest_->era);
    if (!row.bind(4, newest_->startUtcMs).step()) return {};
    return std::string(row.blob(0));
  };
  const auto own = tallies(*database_);
  if (!own) return true;  // retention took it
  try {
    Database other(path_, Database::Access::readOnly, 0);
    return tallies(other) == own;
  } catch (const DatabaseError& error) {
    if (error.isDamage()) throw;
    return true;  // a lock, no files left: nothing is known
  }
}

std::int64_t Store::addRun(std::int64_t id, const RunFacts& facts) {
  if (isThere(*database_, id, facts)) return id;
  if (isTaken(*database_, id)) id = database_->number("SELECT max(id) + 1 FROM run");
  const std::string metrics =
      nlohmann::json(facts.metrics).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  Statement insert(*database_,
                   "INSERT INTO run(id, source, address, model, model_hash, settings, version, "
                   "metrics, begun_utc_ms, begun_steady_ms, begun_era, begun_synchronised) "
                   "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
  insert.bind(1, id).bindText(2, facts.source).bindText(3, facts.address);
  insert.bindText(4, facts.model).bindText(5, facts.modelHash).bindText(6, facts.settings);
  insert.bindText(7, facts.version).bindText(8, metrics).bind(9, facts.begun.utcMs);
  insert.bind(10, facts.begun.steadyMs).bind(11, std::int64_t{facts.begun.era});
  insert.bind(12, std::int64_t{facts.begun.synchronised}).run();
  return id;
}

bool Store::bindAndRun(Statement& upsert, std::int64_t run, const Series::Changed& changed) {
  const std::string frames = encodeFrames(changed.bucket.frames);
  const std::string tallies = encodeTallies(changed.bucket.tallies);
  upsert.bind(1, run).bind(2, static_cast<std::int64_t>(changed.resolution));
  upsert.bind(3, std::int64_t{changed.bucket.era}).bind(4, changed.bucket.startUtcMs);
  // An update leaves the number of the last row that was put in.
  sqlite3_set_last_insert_rowid(database_->get(), 0);
  upsert.bindBlob(5, frames).bindBlob(6, tallies).run();
  return sqlite3_last_insert_rowid(database_->get()) != 0;
}

void Store::write(const Batch& batch, const std::function<std::int64_t(std::int64_t)>& storedAs) {
  std::uint64_t rows = 0;
  Transaction transaction(*database_);
  for (const auto& [run, changed] : batch.buckets) {
    rows += bindAndRun(*upsert_, storedAs(run), changed) ? 1 : 0;
  }
  for (const auto& [run, event] : batch.events) {
    bindMoment(*event_, storedAs(run), event.at);
    event_->bindText(6, event.kind).bindText(7, event.name).bindText(8, event.text);
    if (event.value) {
      event_->bind(9, *event.value);
    } else {
      event_->bindNull(9);
    }
    event_->run();
    rows += static_cast<std::uint64_t>(database_->changes());
  }
  transaction.commit();
  rows_ += rows;
  if (batch.buckets.empty()) return;
  const auto& [run, changed] = batch.buckets.back();
  newest_ = {storedAs(run), static_cast<std::int64_t>(changed.resolution), changed.bucket.era,
             changed.bucket.startUtcMs};
}

Batch Store::takePresent(Batch& batch, const std::function<std::int64_t(std::int64_t)>& storedAs) {
  Batch present, missing;
  Statement bucket(*database_,
                   "SELECT 1 FROM bucket WHERE run = ?1 AND resolution = ?2 AND era = ?3 AND "
                   "start_utc_ms = ?4");
  for (const auto& [run, changed] : batch.buckets) {
    bucket.bind(1, storedAs(run)).bind(2, static_cast<std::int64_t>(changed.resolution));
    bucket.bind(3, std::int64_t{changed.bucket.era}).bind(4, changed.bucket.startUtcMs);
    (exists(bucket) ? present : missing).buckets.emplace_back(run, changed);
  }
  Statement event(*database_, "SELECT 1 WHERE " + kSameEvent);
  for (const auto& [run, one] : batch.events) {
    bindMoment(event, storedAs(run), one.at);
    event.bindText(6, one.kind).bindText(7, one.name).bindText(8, one.text);
    (exists(event) ? present : missing).events.emplace_back(run, one);
  }
  batch = std::move(missing);
  return present;
}

void Store::write(const EncodedSnapshot& snapshot, std::int64_t run, const RunFacts& facts) {
  const std::int64_t id = database_->number("SELECT coalesce(max(id), 0) + 1 FROM snapshot");
  const std::string stem = snapshotStem(snapshot.taken, facts.source, id);
  const std::string description = describe(snapshot, stem, run, facts);
  const std::int64_t bytes = folder_.write(stem, snapshot, description);
  try {
    bindMoment(*snapshot_, run, snapshot.taken);
    snapshot_->bind(6, id).bindText(7, snapshot.reason).bindText(8, stem);
    snapshot_->bind(9, std::int64_t{!snapshot.labels.empty()});
    snapshot_->bind(10, std::int64_t{!snapshot.overlay.empty()}).bind(11, bytes);
    snapshot_->bindText(12, description).bind(13, std::int64_t{!snapshot.picture.empty()});
    snapshot_->bind(14, std::int64_t{!snapshot.mergeMap.empty()}).run();
  } catch (...) {
    folder_.undo(stem, snapshot);  // it is tried again, under another name
    throw;
  }
  snapshotBytes_ += bytes;
  if (!snapshot.clip.empty()) clipBytes_ += bytes;
  if (!snapshot.picture.empty() && snapshot.overlay.empty()) pictureBytes_ += bytes;
  ++rows_;
}

void Store::writeView(const std::string& source, std::int64_t utcMs, const std::string& view) {
  Transaction transaction(*database_);
  database_->run(kCameraViews);
  Statement upsert(*database_, "INSERT OR REPLACE INTO camera_view VALUES(?1, ?2, ?3)");
  upsert.bindText(1, source).bind(2, utcMs).bindBlob(3, view).run();
  transaction.commit();
}

int Store::removeSnapshots(int most, const Age& age, SnapshotKind kind) {
  std::vector<std::pair<std::int64_t, std::string>> oldest;
  std::int64_t bytes = 0, clipBytes = 0, pictureBytes = 0;
  {
    Statement rows(*database_,
                   "SELECT id, stem, bytes, labels + overlay + picture, picture > overlay FROM "
                   "snapshot" +
                       isOf(kind) + " AND utc_ms < ?1 AND run IN (SELECT id FROM run WHERE " +
                       kIsOfAge + ") ORDER BY utc_ms LIMIT ?3");
    rows.bind(1, age.beforeUtcMs).bind(2, age.nowUtcMs).bind(3, std::int64_t{most});
    while (rows.step()) {
      oldest.emplace_back(rows.number(0), rows.text(1));
      bytes += rows.number(2);
      if (rows.number(3) == 0) clipBytes += rows.number(2);
      if (rows.number(4) != 0) pictureBytes += rows.number(2);
    }
  }
  if (oldest.empty()) return 0;
  Transaction transaction(*database_);
  Statement remove(*database_, "DELETE FROM snapshot WHERE id = ?1");
  for (const auto& [id, stem] : oldest) remove.bind(1, id).run();
  transaction.commit();
  for (const auto& [id, stem] : oldest) folder_.remove(stem);
  snapshotBytes_ -= bytes;
  clipBytes_ -= clipBytes;
  pictureBytes_ -= pictureBytes;
  return static_cast<int>(oldest.size());
}

Trouble Store::checkpoint() {
  // On a busy disk this takes seconds. Pages that the journal has are written anew then, so harm to
  // them would never be told: it is looked for behind it.
  inspection_->syncJournal();
  if (Trouble trouble = look(); trouble.kind != Trouble::Kind::none) return trouble;
  if (!inspection_->isJournalSound()) {  // SQLite would write it into the database as it is
    return {Trouble::Kind::journal, "its journal (-wal) has changed since it was written"};
  }
  moveJournalIn();
  return {};
}

void Store::moveJournalIn() {
  // PASSIVE waits for no reader; what one of them still needs is left for the next time.
  int frames = 0, done = 0;
  const int code = sqlite3_wal_checkpoint_v2(database_->get(), nullptr, SQLITE_CHECKPOINT_PASSIVE,
                                             &frames, &done);
  if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY) database_->fail(code);
  unsyncedPages_ = 0;
  inspection_->checkpointed(code == SQLITE_OK && frames == done);
}

std::int64_t Store::unsyncedBytes() const { return std::int64_t{unsyncedPages_} * kPageBytes; }

std::int64_t Store::journalBytes() const { return monitor::fileBytes(path_.string() + "-wal"); }
std::int64_t Store::fileBytes() const { return monitor::fileBytes(path_); }

void Store::moveAsideNow(std::int64_t utcMs) {
  database_->leaveFilesWhenClosed();
  snapshot_.reset();
  event_.reset();
  upsert_.reset();
  inspection_.reset();
  database_.reset();
  damaged_ = moveAside(path_, utcMs);
}

// SQLite takes of a journal what its checksums vouch for, when it is opened the next time. Where
// all of it is sound, and only its file is gone, it goes to the database now.
void Store::leaveJournal() {
  if (inspection_->isJournalSound()) return moveJournalIn();
  database_->leaveFilesWhenClosed();
}

}  // namespace mpm::monitor
