// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "monitor/record/database.h"

namespace mpm::monitor {

/// The settings of a run as `mpm watch` and the app wrote them before both were one session.
constexpr const char* kOldSettings[] = {
    R"({"light":"day=0.34,night=0.29","max_fps":10.0,"merge_before":[2,5],"precision":"fp32",)"
    R"("replay":false,"zones":[]})",
    R"({"merge_before": "2, 5"})"};

/// A record of schema 2 or 1 as it was then: one run of one source at noon of the first of November
/// 2026, with one metric, a bucket of one frame in each resolution (512 live rows by day), an
/// event, and a snapshot without files.
inline void makeOldRecord(const std::string& path, const std::string& source,
                          const std::string& settings, int schema = 2) {
  std::string sql = R"(
PRAGMA page_size = 4096;
PRAGMA auto_vacuum = INCREMENTAL;
CREATE TABLE run(
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL, address TEXT NOT NULL, model TEXT NOT NULL, model_hash TEXT NOT NULL,
  settings TEXT NOT NULL, version TEXT NOT NULL, metrics TEXT NOT NULL,
  begun_utc_ms INTEGER NOT NULL, begun_steady_ms INTEGER NOT NULL,
  begun_era INTEGER NOT NULL BEGUN_COLUMN);
CREATE TABLE bucket(
  run INTEGER NOT NULL, resolution INTEGER NOT NULL, era INTEGER NOT NULL,
  start_utc_ms INTEGER NOT NULL, frames BLOB NOT NULL, tallies BLOB NOT NULL);
CREATE UNIQUE INDEX bucket_series ON bucket(run, resolution, era, start_utc_ms);
CREATE INDEX bucket_age ON bucket(resolution, start_utc_ms, run);
CREATE TABLE event(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL,
  utc_ms INTEGER NOT NULL, steady_ms INTEGER NOT NULL, era INTEGER NOT NULL,
  kind TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, value REAL COLUMN);
CREATE INDEX event_run ON event(run, utc_ms);
CREATE INDEX event_age ON event(utc_ms);
CREATE TABLE snapshot(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL,
  utc_ms INTEGER NOT NULL, steady_ms INTEGER NOT NULL, era INTEGER NOT NULL,
  reason TEXT NOT NULL, stem TEXT NOT NULL UNIQUE, labels INTEGER NOT NULL,
  overlay INTEGER NOT NULL, bytes INTEGER NOT NULL, facts TEXT NOT NULL COLUMN);
CREATE INDEX snapshot_run ON snapshot(run, utc_ms);
CREATE INDEX snapshot_age ON snapshot(utc_ms);
INSERT INTO run VALUES(1, 'SOURCE', 'old address', 'old.onnx', 'abc', 'SETTINGS', '0.9',
                       '["live_rows"]', 1793534400000, 5, 0 VALUE);
INSERT INTO bucket SELECT 1, value, 0, 1793534400000 - (value = 3) * 43200000,
  x'010000000000000000000000000000000000000000000000', x'01010000000000000000008040'
  FROM json_each('[0, 1, 2, 3]');
INSERT INTO event VALUES(1, 1, 1793534400000, 5, 0, 'rule', 'old', 'An old event.', 1.5 VALUE);
INSERT INTO snapshot VALUES(1, 1, 1793534400000, 5, 0, 'by hand', 'old-stem', 0, 0, 0,
                            '{"run": {"settings": SETTINGS}}' VALUE);
PRAGMA application_id = 1297108338;
PRAGMA user_version = SCHEMA;
)";
  const char* column = schema > 1 ? ", synchronised INTEGER NOT NULL DEFAULT 1" : "";
  const char* begun = schema > 1 ? ", begun_synchronised INTEGER NOT NULL DEFAULT 1" : "";
  for (const auto& [word, value] : {std::pair<std::string, std::string>{"BEGUN_COLUMN", begun},
                                    {"COLUMN", column},
                                    {"VALUE);", schema > 1 ? ", 1);" : ");"},
                                    {"SCHEMA", std::to_string(schema)},
                                    {"SOURCE", source},
                                    {"SETTINGS", settings}}) {
    for (std::size_t at = sql.find(word); at != std::string::npos;
         at = sql.find(word, at + value.size()))
      sql.replace(at, word.size(), value);
  }
  Database(path, Database::Access::readWrite, 0).run(sql);
}

}  // namespace mpm::monitor
