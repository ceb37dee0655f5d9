// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/record_reader.h"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "monitor/record/blobs.h"
#include "monitor/record/database.h"
#include "monitor/record/schema.h"
#include "monitor/record/snapshot_files.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr int kBusyMs = 2000;

std::vector<std::string> metricsOf(const std::string& text) {
  std::vector<std::string> metrics;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_array()) return metrics;
  for (const auto& name : json) metrics.push_back(name.is_string() ? name.get<std::string>() : "");
  return metrics;
}

// Of one source, oldest first. `schema` as in schema.h.
std::vector<RecordedRun> runsOf(Database& database, const std::string& source, int schema) {
  const std::string sql =
      std::string("SELECT id, address, model, model_hash, settings, version, metrics, ") +
      "begun_utc_ms, begun_steady_ms, begun_era, " + (schema >= 2 ? "begun_synchronised" : "1") +
      " FROM run WHERE source = ?1 ORDER BY id";
  Statement rows(database, sql);
  rows.bindText(1, source);
  std::vector<RecordedRun> runs;
  while (rows.step()) {
    RecordedRun run;
    run.id = rows.number(0);
    run.facts.source = source;
    run.facts.address = rows.text(1);
    run.facts.model = rows.text(2);
    run.facts.modelHash = rows.text(3);
    run.facts.settings = rows.text(4);
    run.facts.version = rows.text(5);
    run.facts.metrics = metricsOf(rows.text(6));
    run.facts.begun.utcMs = rows.number(7);
    run.facts.begun.steadyMs = rows.number(8);
    run.facts.begun.era = static_cast<std::int32_t>(rows.number(9));
    run.facts.begun.synchronised = rows.number(10) != 0;
    runs.push_back(std::move(run));
  }
  return runs;
}

// Where the tallies of a run's blob go among those asked for; -1: nowhere.
std::vector<int> placesOf(const std::vector<std::string>& stored,
                          const std::vector<std::string>& wanted) {
  std::unordered_map<std::string_view, int> wantedPlaces;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wantedPlaces.emplace(wanted[i], static_cast<int>(i));
  }
  std::vector<int> places;
  for (const std::string& name : stored) {
    const auto place = wantedPlaces.find(name);
    places.push_back(place == wantedPlaces.end() ? -1 : place->second);
  }
  return places;
}

// A row of start, frames, tallies, era.
Bucket bucketOf(Statement& row, const std::vector<int>& places, std::size_t metrics) {
  Bucket bucket;
  bucket.era = static_cast<std::int32_t>(row.number(3));
  bucket.startUtcMs = row.number(0);
  const auto frames = decodeFrames(row.blob(1));
  const auto tallies = decodeTallies(row.blob(2), places.size());
  if (!frames || !tallies) {
    throw std::runtime_error("The record is damaged: the bucket that begins at " +
                             std::to_string(bucket.startUtcMs) + " ms cannot be read");
  }
  bucket.frames = *frames;
  bucket.tallies.resize(metrics);
  for (std::size_t i = 0; i < tallies->size(); ++i) {
    if (places[i] >= 0) bucket.tallies[static_cast<std::size_t>(places[i])] = (*tallies)[i];
  }
  return bucket;
}

// Appends a run's buckets of from <= start < to, by era and start, with `metrics` in this order.
// Era by era: within one, the index finds a range of time without a look at the rest.
void addBuckets(Database& database, const RecordedRun& run, Resolution resolution,
                std::int64_t fromUtcMs, std::int64_t toUtcMs,
                const std::vector<std::string>& metrics, std::vector<Bucket>& buckets) {
  const std::vector<int> places = placesOf(run.facts.metrics, metrics);
  Statement nextEra(database,
                    "SELECT min(era) FROM bucket WHERE run = ?1 AND resolution = ?2 AND era > ?3");
  Statement rows(database,
                 "SELECT start_utc_ms, frames, tallies, era FROM bucket WHERE run = ?1 AND "
                 "resolution = ?2 AND era = ?3 AND start_utc_ms >= ?4 AND start_utc_ms < ?5 "
                 "ORDER BY start_utc_ms");
  const auto level = static_cast<std::int64_t>(resolution);
  rows.bind(1, run.id).bind(2, level).bind(4, fromUtcMs).bind(5, toUtcMs);
  nextEra.bind(1, run.id).bind(2, level);
  std::int64_t era = std::numeric_limits<std::int64_t>::min();
  while (nextEra.bind(3, era).step() && !nextEra.isNull(0)) {
    era = nextEra.number(0);
    nextEra.run();
    rows.bind(3, era);
    while (rows.step()) buckets.push_back(bucketOf(rows, places, metrics.size()));
  }
}

// Reading needs the journal's index, which a folder that is read-only cannot hold: without a
// journal, nobody writes, and it is not needed.
std::unique_ptr<Database> openForReading(const fs::path& path, bool& isUnchanging) {
  try {
    auto database = std::make_unique<Database>(path, Database::Access::readOnly, kBusyMs);
    database->number("SELECT count(*) FROM sqlite_master");
    return database;
  } catch (const DatabaseError& error) {
    std::error_code ignored;
    const std::uintmax_t journal = fs::file_size(path.string() + "-wal", ignored);
    const bool isQuiet = ignored || journal == 0;
    if (!isQuiet || (error.code() != SQLITE_CANTOPEN && error.code() != SQLITE_READONLY)) throw;
  }
  isUnchanging = true;
  return std::make_unique<Database>(path, Database::Access::readOnlyUnchanging, kBusyMs);
}

// A backup has rows of snapshots whose files are still the record's that it was made of.
SnapshotFolder pictureFolderOf(const fs::path& path) {
  constexpr std::string_view kBackup = ".backup-";
  const std::string name = path.string();
  const std::size_t end = name.rfind(kBackup);
  std::error_code ignored;
  if (end == name.npos || fs::exists(SnapshotFolder::pathOf(path), ignored)) {
    return SnapshotFolder(path);
  }
  const std::string_view number = std::string_view(name).substr(end + kBackup.size());
  const bool isNumber = !number.empty() && number.find_first_not_of("0123456789") == number.npos;
  return SnapshotFolder(isNumber ? fs::path(name.substr(0, end)) : path);
}

}  // namespace

class RecordReader::Impl {
 public:
  explicit Impl(const std::string& path) : path_(fs::absolute(path)) { open(); }

  Database& database() {
    const FileId now = fileIdOf(path_);
    // One that takes no locks must not outlive the quiet that it was opened in.
    if (now.number != 0 && (now != file_ || isUnchanging_)) open();
    return *database_;
  }
  int schema() {
    database();
    return schemaVersion(*database_);
  }
  const fs::path& path() const { return path_; }

 private:
  void open();

  fs::path path_;
  std::unique_ptr<Database> database_;
  FileId file_;
  bool isUnchanging_ = false;
};

void RecordReader::Impl::open() {
  const FileId file = fileIdOf(path_);
  if (file.number == 0 || !fs::is_regular_file(path_)) {
    throw std::runtime_error("There is no record \"" + path_.string() + "\"");
  }
  bool isUnchanging = false;
  auto database = openForReading(path_, isUnchanging);
  if (schemaVersion(*database) == 0) {
    if (database_) return;  // a new one is being made in place of the one that is open
    throw std::runtime_error("\"" + path_.string() + "\" is not a record: it is empty");
  }
  database_ = std::move(database);
  file_ = file;
  isUnchanging_ = isUnchanging;
}

RecordReader::RecordReader(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
RecordReader::~RecordReader() = default;

std::vector<std::string> RecordReader::sources() const {
  Statement rows(impl_->database(), "SELECT source FROM run GROUP BY source ORDER BY min(id)");
  std::vector<std::string> names;
  while (rows.step()) names.push_back(rows.text(0));
  return names;
}

std::vector<RecordedRun> RecordReader::runs(const std::string& source) const {
  const int schema = impl_->schema();
  return runsOf(impl_->database(), source, schema);
}

std::vector<Bucket> RecordReader::buckets(const std::string& source, Resolution resolution,
                                          std::int64_t fromUtcMs, std::int64_t toUtcMs,
                                          const std::vector<std::string>& metrics,
                                          std::int64_t run) const {
  std::vector<Bucket> buckets;
  for (const RecordedRun& one : runs(source)) {
    if (run != 0 && one.id != run) continue;
    addBuckets(impl_->database(), one, resolution, fromUtcMs, toUtcMs, metrics, buckets);
  }
  return buckets;
}

void RecordReader::eachBucket(
    const std::string& source, Resolution resolution, std::int64_t fromUtcMs, std::int64_t toUtcMs,
    const std::vector<std::string>& metrics,
    const std::function<void(std::int64_t run, const Bucket&)>& show) const {
  // No statement is open while one is shown, which may wait: the journal could not be reset.
  constexpr std::size_t kMost = 900, kMostTallies = 1'000'000;
  const std::size_t most =
      std::clamp<std::size_t>(kMostTallies / std::max<std::size_t>(1, metrics.size()), 1, kMost);
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  std::map<std::int64_t, std::vector<int>> places;
  for (const RecordedRun& run : runs(source)) {
    places.emplace(run.id, placesOf(run.facts.metrics, metrics));
  }
  std::tuple last(fromUtcMs, kLeast, kLeast);  // start, era, run
  for (std::size_t found = most; found == most;) {
    std::vector<std::pair<std::int64_t, Bucket>> buckets;
    {
      // The plus keeps the order of time: by run all would have to be sorted.
      Statement rows(impl_->database(),
                     "SELECT start_utc_ms, frames, tallies, era, run FROM bucket WHERE "
                     "resolution = ?1 AND start_utc_ms >= ?2 AND start_utc_ms < ?3 AND "
                     "(start_utc_ms, era, run) > (?2, ?4, ?5) AND "
                     "+run IN (SELECT id FROM run WHERE source = ?6) "
                     "ORDER BY start_utc_ms, era, run LIMIT ?7");
      rows.bind(1, static_cast<std::int64_t>(resolution)).bind(2, std::get<0>(last));
      rows.bind(3, toUtcMs).bind(4, std::get<1>(last)).bind(5, std::get<2>(last));
      rows.bindText(6, source).bind(7, static_cast<std::int64_t>(most));
      for (found = 0; rows.step(); ++found) {
        const std::tuple here(rows.number(0), rows.number(3), rows.number(4));
        if (here <= last) {  // times that are no whole numbers would come again and again
          throw std::runtime_error("The record is damaged: its buckets are in no order");
        }
        last = here;
        const auto place = places.find(rows.number(4));
        if (place == places.end()) continue;
        buckets.emplace_back(place->first, bucketOf(rows, place->second, metrics.size()));
      }
    }
    for (const auto& [run, bucket] : buckets) show(run, bucket);
  }
}

std::optional<std::int64_t> RecordReader::firstBucket(const std::string& source,
                                                      Resolution resolution,
                                                      std::int64_t fromUtcMs) const {
  Statement first(impl_->database(),
                  "SELECT start_utc_ms FROM bucket WHERE resolution = ?1 AND start_utc_ms >= ?2 "
                  "AND run IN (SELECT id FROM run WHERE source = ?3) "
                  "ORDER BY start_utc_ms LIMIT 1");
  first.bind(1, static_cast<std::int64_t>(resolution)).bind(2, fromUtcMs).bindText(3, source);
  if (!first.step()) return {};
  return first.number(0);
}

std::vector<Event> RecordReader::events(const std::string& source, std::int64_t fromUtcMs,
                                        std::int64_t toUtcMs, std::int64_t run) const {
  const std::string synchronised = impl_->schema() >= 2 ? "synchronised" : "1";
  Statement rows(impl_->database(),
                 "SELECT utc_ms, steady_ms, era, " + synchronised +
                     ", kind, name, text, value FROM event WHERE run IN (SELECT id FROM run WHERE "
                     "source = ?1 AND ?4 IN (0, id)) AND utc_ms >= ?2 AND utc_ms < ?3 "
                     "ORDER BY CASE WHEN ?4 = 0 THEN id END, era, utc_ms, id");
  rows.bindText(1, source).bind(2, fromUtcMs).bind(3, toUtcMs).bind(4, run);
  std::vector<Event> events;
  while (rows.step()) {
    Event event;
    event.at = {rows.number(1), rows.number(0), static_cast<std::int32_t>(rows.number(2)),
                rows.number(3) != 0};
    event.kind = rows.text(4);
    event.name = rows.text(5);
    event.text = rows.text(6);
    if (!rows.isNull(7)) event.value = rows.real(7);
    events.push_back(std::move(event));
  }
  return events;
}

std::vector<RecordedSnapshot> RecordReader::snapshots(const std::string& source,
                                                      std::int64_t fromUtcMs,
                                                      std::int64_t toUtcMs) const {
  const int schema = impl_->schema();
  const std::string synchronised = schema >= 2 ? "synchronised" : "1";
  const std::string pictures = schema >= 3 ? "picture, merge_map" : "0, 0";
  const SnapshotFolder folder = pictureFolderOf(fs::weakly_canonical(impl_->path()));
  Statement rows(impl_->database(),
                 "SELECT utc_ms, steady_ms, era, " + synchronised +
                     ", reason, stem, labels, overlay, facts, " + pictures +
                     " FROM snapshot WHERE run IN (SELECT id "
                     "FROM run WHERE source = ?1) AND utc_ms >= ?2 AND utc_ms < ?3 ORDER BY id");
  rows.bindText(1, source).bind(2, fromUtcMs).bind(3, toUtcMs);
  std::vector<RecordedSnapshot> snapshots;
  while (rows.step()) {
    RecordedSnapshot snapshot;
    snapshot.taken = {rows.number(1), rows.number(0), static_cast<std::int32_t>(rows.number(2)),
                      rows.number(3) != 0};
    const std::string stem = rows.text(5);
    snapshot.reason = rows.text(4);
    if (rows.number(6) != 0) snapshot.labels = folder.labels(stem).string();
    if (rows.number(7) != 0) snapshot.overlay = folder.overlay(stem).string();
    if (rows.number(9) != 0) snapshot.picture = folder.picture(stem).string();
    if (rows.number(10) != 0) snapshot.mergeMap = folder.mergeMap(stem).string();
    if (snapshot.labels.empty() && snapshot.overlay.empty() && snapshot.picture.empty()) {
      snapshot.clip = folder.clip(stem).string();
    }
    snapshot.facts = rows.text(8);
    snapshots.push_back(std::move(snapshot));
  }
  return snapshots;
}

std::string RecordReader::view(const std::string& source, std::int64_t fromUtcMs) const {
  Database& database = impl_->database();
  if (database.number("SELECT count(*) FROM sqlite_master WHERE name = 'camera_view'") == 0) {
    return {};
  }
  Statement row(database, "SELECT view FROM camera_view WHERE source = ?1 AND utc_ms >= ?2");
  row.bindText(1, source).bind(2, fromUtcMs);
  return row.step() ? std::string(row.blob(0)) : std::string();
}

}  // namespace mpm::monitor
