// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/schema.h"

#include <stdexcept>

namespace mpm::monitor {
namespace {

// Two orders of buckets are needed: by run to read a series, by time to find the oldest of all.
constexpr const char* kSchema1 = R"(
CREATE TABLE run(
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL, address TEXT NOT NULL, model TEXT NOT NULL, model_hash TEXT NOT NULL,
  settings TEXT NOT NULL, version TEXT NOT NULL, metrics TEXT NOT NULL,
  begun_utc_ms INTEGER NOT NULL, begun_steady_ms INTEGER NOT NULL, begun_era INTEGER NOT NULL);
CREATE TABLE bucket(
  run INTEGER NOT NULL, resolution INTEGER NOT NULL, era INTEGER NOT NULL,
  start_utc_ms INTEGER NOT NULL, frames BLOB NOT NULL, tallies BLOB NOT NULL);
CREATE UNIQUE INDEX bucket_series ON bucket(run, resolution, era, start_utc_ms);
CREATE INDEX bucket_age ON bucket(resolution, start_utc_ms, run);
CREATE TABLE event(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL,
  utc_ms INTEGER NOT NULL, steady_ms INTEGER NOT NULL, era INTEGER NOT NULL,
  kind TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, value REAL);
CREATE INDEX event_run ON event(run, utc_ms);
CREATE INDEX event_age ON event(utc_ms);
CREATE TABLE snapshot(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL,
  utc_ms INTEGER NOT NULL, steady_ms INTEGER NOT NULL, era INTEGER NOT NULL,
  reason TEXT NOT NULL, stem TEXT NOT NULL UNIQUE, labels INTEGER NOT NULL,
  overlay INTEGER NOT NULL, bytes INTEGER NOT NULL, facts TEXT NOT NULL);
CREATE INDEX snapshot_run ON snapshot(run, utc_ms);
CREATE INDEX snapshot_age ON snapshot(utc_ms);
)";

// From schema 1 to 2: whether the wall clock was to be believed.
constexpr const char* kTo2 = R"(
ALTER TABLE run ADD COLUMN begun_synchronised INTEGER NOT NULL DEFAULT 1;
ALTER TABLE event ADD COLUMN synchronised INTEGER NOT NULL DEFAULT 1;
ALTER TABLE snapshot ADD COLUMN synchronised INTEGER NOT NULL DEFAULT 1;
)";

// From schema 2 to 3: pictures of the day.
constexpr const char* kTo3 = R"(
ALTER TABLE snapshot ADD COLUMN picture INTEGER NOT NULL DEFAULT 0;
ALTER TABLE snapshot ADD COLUMN merge_map INTEGER NOT NULL DEFAULT 0;
)";

void checkIsPlain(Database& database) {
  for (const char* table : {"run", "bucket", "event", "snapshot", "camera_view"}) {
    const auto refuseIt = [&](const std::string& what) {
      throw std::runtime_error("\"" + database.path().string() +
                               "\" was not made by this program: its \"" + table + "\" " + what +
                               ", where a record has a plain table");
    };
    const std::string name = "(" + std::string(table) + ")";
    Statement kind(database, "PRAGMA main.table_list" + name);
    while (kind.step()) {
      if (kind.text(2) != "table") refuseIt("is a " + kind.text(2));
    }
    Statement columns(database, "PRAGMA main.table_xinfo" + name);
    while (columns.step()) {
      if (columns.number(6) != 0) refuseIt("computes \"" + columns.text(1) + "\"");
    }
  }
}

}  // namespace

int schemaVersion(Database& database) {
  const std::int64_t application = database.number("PRAGMA application_id");
  const std::int64_t version = database.number("PRAGMA user_version");
  const std::string file = "\"" + database.path().string() + "\"";
  if (application != kApplicationId) {
    const bool empty = application == 0 && version == 0 &&
                       database.number("SELECT count(*) FROM sqlite_master") == 0;
    if (empty) return 0;
    throw std::runtime_error(file +
                             " is a database of another program: a record needs a file of its own");
  }
  if (version > kSchemaVersion) {
    throw std::runtime_error(file + " was written by a newer version of this program (schema " +
                             std::to_string(version) + ", this one knows " +
                             std::to_string(kSchemaVersion) +
                             "): update the program, or record into another file");
  }
  checkIsPlain(database);
  return static_cast<int>(version);
}

void bringUpToDate(Database& database) {
  int version = schemaVersion(database);
  if (version == kSchemaVersion) return;
  // Only takes before the first table; what is deleted can then be given back to the disk.
  if (version == 0) database.run("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL");
  Transaction transaction(database);
  version = schemaVersion(database);
  if (version < 1) database.run(kSchema1);
  if (version < 2) database.run(kTo2);
  if (version < 3) database.run(kTo3);
  database.run(("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str());
  database.run(("PRAGMA user_version = " + std::to_string(kSchemaVersion)).c_str());
  transaction.commit();
}

void prepareForWriting(Database& database) {
  // A commit appends to the journal and does not wait for the disk: a crash or kill of the program
  // loses nothing that was committed. A power cut can cost what was committed since the last
  // checkpoint (kCheckpointMs in store.h: at most half a minute), never the file: the journal's
  // checksums tell how far it is whole, and a checkpoint syncs the journal before it touches the
  // database. Checkpoints are made by the store, which knows when it is idle.
  //
  // The journal keeps its space between checkpoints: there is room to write and delete in even
  // when the disk is full.
  Statement mode(database, "PRAGMA journal_mode = WAL");
  if (!mode.step() || mode.text(0) != "wal") {
    throw std::runtime_error("The file system of \"" + database.path().string() +
                             "\" cannot share memory between programs, which a record needs: "
                             "use a folder on a local disk");
  }
  while (mode.step()) {
  }
  database.run(
      "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;"
      "PRAGMA journal_size_limit = 4194304; PRAGMA cache_size = -4096; PRAGMA temp_store = MEMORY");
}

}  // namespace mpm::monitor
