// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "monitor/record/database.h"

/// Schema 3. Times are milliseconds since 1970 in UTC; `resolution` counts as the enum does:
/// 0 second, 1 minute, 2 hour, 3 day.
///
///   run(id, source, address, model, model_hash, settings, version, metrics: JSON array of names,
///       begun_utc_ms, begun_steady_ms, begun_era, begun_synchronised)
///   bucket(run, resolution, era, start_utc_ms, frames, tallies)      blobs.h; one row is a bucket
///   event(id, run, utc_ms, steady_ms, era, synchronised, kind, name, text, value or NULL)
///   snapshot(id, run, utc_ms, steady_ms, era, synchronised, reason,
///            stem: of its files' names, labels, overlay, picture, merge_map: whether there is
///            such a file (no labels, overlay and picture: it is a clip),
///            bytes: of its files, facts: what is in its JSON file)
///
///   camera_view(source, utc_ms, view)   what the camera of a source usually shows, for the program
///            that wrote it; there once one was kept, and unknown to earlier versions of schema 2
///
/// Schema 1 had no `begun_synchronised` and no `synchronised`: such times count as synchronised.
/// Schema 2 had no `picture` and no `merge_map`: its snapshots have none.
namespace mpm::monitor {

constexpr int kApplicationId = 0x4d504d72;  ///< "MPMr", at byte 68 of the file
constexpr int kSchemaVersion = 3;
/// What cameras usually show: made where the first is written.
constexpr const char* kCameraViews =
    "CREATE TABLE IF NOT EXISTS camera_view("
    "source TEXT PRIMARY KEY, utc_ms INTEGER NOT NULL, view BLOB NOT NULL)";
constexpr int kPageBytes = 4096;  ///< of every record, whatever SQLite's default becomes

/// 0: a database with nothing in it. std::runtime_error, one sentence, where it belongs to another
/// program or to a newer version of this one, or where one of its tables is not as we make them,
/// but a view or with columns that are computed, which may do so without end.
int schemaVersion(Database& database);

/// Makes schema 3 of nothing or of an older one, in one transaction; then nothing of it is missing.
void bringUpToDate(Database& database);

/// How this connection is to write: WAL, synced at checkpoints.
void prepareForWriting(Database& database);

}  // namespace mpm::monitor
