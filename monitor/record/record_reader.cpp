// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/record_reader.h"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "monitor/record/database.h"
#include "monitor/record/store.h"
#include "monitor/statistics/statistics.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kBusyMs = 2000;

std::vector<std::string> metricsOf(const std::string& text) {
  std::vector<std::string> metrics;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_array()) return metrics;
  for (const Json& name : json) metrics.push_back(name.is_string() ? name.get<std::string>() : "");
  return metrics;
}

// Reads four columns from `first` on: utc_ms, steady_ms, era, synchronised.
Moment momentOf(const Statement& row, int first) {
  return {row.number(first + 1), row.number(first),
          static_cast<std::int32_t>(row.number(first + 2)), row.number(first + 3) != 0};
}

// Returns where the tallies of a run's blob go among the requested ones; -1 for nowhere.
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

// Reads a row of start, frames, tallies, era.
Bucket bucketOf(const Statement& row, const std::vector<int>& places, std::size_t metrics) {
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

// Opens a record for reading. That needs the journal's index, which a read-only folder, such as a
// backup disk, cannot hold. Without a journal nobody writes, and the index is not needed.
std::unique_ptr<Database> openForReading(const fs::path& path, bool& isUnchanging) {
  try {
    auto database = std::make_unique<Database>(path, Database::Access::readOnly, kBusyMs);
    database->number("SELECT count(*) FROM sqlite_master");
    return database;
  } catch (const DatabaseError& error) {
    const bool isQuiet = fileBytes(path.string() + "-wal") == 0;
    if (!isQuiet || (error.code() != SQLITE_CANTOPEN && error.code() != SQLITE_READONLY)) throw;
  }
  isUnchanging = true;
  return std::make_unique<Database>(path, Database::Access::readOnlyUnchanging, kBusyMs);
}

// Returns the record's own folder for a backup, whose snapshot files are still there.
SnapshotFolder pictureFolderOf(const fs::path& path) {
  constexpr std::string_view kBackup = ".backup-";
  const std::string name = path.string();
  const std::size_t end = name.rfind(kBackup);
  std::error_code ignored;
  const bool isOwn = end == name.npos || fs::exists(snapshotFolderOf(path), ignored) ||
                     name.find_first_not_of("0123456789", end + kBackup.size()) != name.npos;
  return SnapshotFolder(isOwn ? path : fs::path(name.substr(0, end)));
}

// Returns null if it does not exist: settings and facts may have any version.
Json at(const Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  return found == json.end() ? Json() : *found;
}

std::string textOf(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

double numberOf(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

// Accepts "2, 5" instead of [2, 5], as in records of earlier versions.
std::string scheduleIn(const Json& settings) {
  const Json merges = at(settings, "merge_before");
  std::string text = textOf(merges);
  std::erase(text, ' ');
  if (merges.is_array()) {
    for (const Json& block : merges) text += (text.empty() ? "" : ",") + block.dump();
  }
  return text.empty() ? "none" : text;
}

// Returns none for records of earlier versions.
std::vector<Zone> zonesIn(const Json& settings) {
  std::vector<Zone> zones;
  try {
    for (const Json& told : settings.value("zones", Json::array())) {
      Zone& zone = zones.emplace_back(Zone{told.at("name").get<std::string>(), {}});
      for (const Json& corner : told.at("corners"))
        zone.corners.emplace_back(corner.at(0).get<double>(), corner.at(1).get<double>());
    }
  } catch (const Json::exception&) {
    zones.clear();
  }
  return zones;
}

std::optional<Ground> groundIn(const Json& settings) {
  const Json told = at(settings, "ground");
  Ground ground;
  try {
    for (std::size_t i = 0; i < ground.points.size(); ++i) {
      const Json &point = told.at("points").at(i), &metres = told.at("metres").at(i);
      ground.points[i] = {point.at(0).get<double>(), point.at(1).get<double>()};
      ground.metres[i] = {metres.at(0).get<double>(), metres.at(1).get<double>()};
    }
  } catch (const Json::exception&) {
    return {};
  }
  return ground;
}

const Zone* zoneIn(const std::vector<Zone>& zones, const std::string& part) {
  const auto zone = std::find_if(zones.begin(), zones.end(),
                                 [&](const Zone& one) { return metricPart(one.name) == part; });
  return zone == zones.end() ? nullptr : &*zone;
}

}  // namespace

class RecordReader::Impl {
 public:
  explicit Impl(const std::string& path) : path_(fs::absolute(path)) { open(); }

  Database& database() {
    const FileId now = fileIdOf(path_);
    // A connection without locks must not outlive the quiet in which it was opened.
    if (now.number != 0 && (now != file_ || isUnchanging_)) open();
    return *database_;
  }
  int schema() { return schemaVersion(database()); }
  std::string synchronised(const char* column) { return schema() >= 2 ? column : "1"; }
  const fs::path& path() const { return path_; }

 private:
  void open() {
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

  fs::path path_;
  std::unique_ptr<Database> database_;
  FileId file_;
  bool isUnchanging_ = false;
};

RecordReader::RecordReader(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
RecordReader::~RecordReader() = default;

std::vector<std::string> RecordReader::sources() const {
  Statement rows(impl_->database(), "SELECT source FROM run GROUP BY source ORDER BY min(id)");
  std::vector<std::string> names;
  while (rows.step()) names.push_back(rows.text(0));
  return names;
}

std::vector<RecordedRun> RecordReader::runs(const std::string& source) const {
  const std::string synchronised = impl_->synchronised("begun_synchronised");
  Statement rows(impl_->database(),
                 "SELECT id, address, model, model_hash, settings, version, metrics, begun_utc_ms, "
                 "begun_steady_ms, begun_era, " +
                     synchronised + " FROM run WHERE source = ?1 ORDER BY id");
  rows.bind(source);
  std::vector<RecordedRun> runs;
  while (rows.step()) {
    runs.push_back({rows.number(0),
                    {source, rows.text(1), rows.text(2), rows.text(3), rows.text(4), rows.text(5),
                     metricsOf(rows.text(6)), momentOf(rows, 7)}});
  }
  return runs;
}

std::vector<Bucket> RecordReader::buckets(const std::string& source, Resolution resolution,
                                          std::int64_t fromUtcMs, std::int64_t toUtcMs,
                                          const std::vector<std::string>& metrics,
                                          std::int64_t run) const {
  std::vector<Bucket> buckets;
  const auto level = static_cast<int>(resolution);
  const std::vector<RecordedRun> all = runs(source);
  Database& database = impl_->database();  // once: to ask again may replace it
  for (const RecordedRun& one : all) {
    if (run != 0 && one.id != run) continue;
    const std::vector<int> places = placesOf(one.facts.metrics, metrics);
    // Reads era by era: the index then finds a range of time without reading the rest.
    Statement nextEra(
        database, "SELECT min(era) FROM bucket WHERE run = ?1 AND resolution = ?2 AND era > ?3");
    Statement rows(database,
                   "SELECT start_utc_ms, frames, tallies, era FROM bucket WHERE run = ?1 AND "
                   "resolution = ?2 AND era = ?3 AND start_utc_ms >= ?4 AND start_utc_ms < ?5 "
                   "ORDER BY start_utc_ms");
    std::int64_t era = std::numeric_limits<std::int64_t>::min();
    while (nextEra.bind(one.id, level, era).step() && !nextEra.isNull(0)) {
      era = nextEra.number(0);
      nextEra.run();
      rows.bind(one.id, level, era, fromUtcMs, toUtcMs);
      while (rows.step()) buckets.push_back(bucketOf(rows, places, metrics.size()));
    }
  }
  return buckets;
}

void RecordReader::eachBucket(
    const std::string& source, Resolution resolution, std::int64_t fromUtcMs, std::int64_t toUtcMs,
    const std::vector<std::string>& metrics,
    const std::function<void(std::int64_t run, const Bucket&)>& show) const {
  // Keeps no statement open while a bucket is shown, which may take long: the journal could not be
  // reset.
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
      // The plus keeps the order of time; ordering by run would sort everything.
      Statement rows(impl_->database(),
                     "SELECT start_utc_ms, frames, tallies, era, run FROM bucket WHERE "
                     "resolution = ?1 AND start_utc_ms >= ?2 AND start_utc_ms < ?3 AND "
                     "(start_utc_ms, era, run) > (?2, ?4, ?5) AND "
                     "+run IN (SELECT id FROM run WHERE source = ?6) "
                     "ORDER BY start_utc_ms, era, run LIMIT ?7");
      rows.bind(static_cast<int>(resolution), std::get<0>(last), toUtcMs, std::get<1>(last),
                std::get<2>(last), source, most);
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
  const bool isAny = first.bind(static_cast<int>(resolution), fromUtcMs, source).step();
  return isAny ? std::optional(first.number(0)) : std::nullopt;
}

std::vector<Event> RecordReader::events(const std::string& source, std::int64_t fromUtcMs,
                                        std::int64_t toUtcMs, std::int64_t run) const {
  const std::string synchronised = impl_->synchronised("synchronised");
  Statement rows(impl_->database(),
                 "SELECT utc_ms, steady_ms, era, " + synchronised +
                     ", kind, name, text, value FROM event WHERE run IN (SELECT id FROM run WHERE "
                     "source = ?1 AND ?4 IN (0, id)) AND utc_ms >= ?2 AND utc_ms < ?3 "
                     "ORDER BY CASE WHEN ?4 = 0 THEN id END, era, utc_ms, id");
  rows.bind(source, fromUtcMs, toUtcMs, run);
  std::vector<Event> events;
  while (rows.step()) {
    events.push_back({momentOf(rows, 0), rows.text(4), rows.text(5), rows.text(6), {}});
    if (!rows.isNull(7)) events.back().value = rows.real(7);
  }
  return events;
}

std::vector<RecordedSnapshot> RecordReader::snapshots(const std::string& source,
                                                      std::int64_t fromUtcMs,
                                                      std::int64_t toUtcMs) const {
  const std::string synchronised = impl_->synchronised("synchronised");
  const std::string pictures = impl_->schema() >= 3 ? "picture, merge_map" : "0, 0";
  const SnapshotFolder folder = pictureFolderOf(fs::weakly_canonical(impl_->path()));
  Statement rows(impl_->database(),
                 "SELECT utc_ms, steady_ms, era, " + synchronised +
                     ", reason, stem, facts, labels, overlay, " + pictures +
                     " FROM snapshot WHERE run IN (SELECT id "
                     "FROM run WHERE source = ?1) AND utc_ms >= ?2 AND utc_ms < ?3 ORDER BY id");
  rows.bind(source, fromUtcMs, toUtcMs);
  std::vector<RecordedSnapshot> snapshots;
  while (rows.step()) {
    RecordedSnapshot& snapshot = snapshots.emplace_back();
    snapshot.taken = momentOf(rows, 0);
    snapshot.reason = rows.text(4);
    const std::string stem = rows.text(5);
    snapshot.facts = rows.text(6);
    if (rows.number(7) != 0) snapshot.labels = folder.labels(stem).string();
    if (rows.number(8) != 0) snapshot.overlay = folder.overlay(stem).string();
    if (rows.number(9) != 0) snapshot.picture = folder.picture(stem).string();
    if (rows.number(10) != 0) snapshot.mergeMap = folder.mergeMap(stem).string();
    if (snapshot.labels.empty() && snapshot.overlay.empty() && snapshot.picture.empty()) {
      snapshot.clip = folder.clip(stem).string();
    }
  }
  return snapshots;
}

std::string RecordReader::view(const std::string& source, std::int64_t fromUtcMs) const {
  Database& database = impl_->database();
  if (!hasCameraViews(database)) return {};
  Statement row(database, "SELECT view FROM camera_view WHERE source = ?1 AND utc_ms >= ?2");
  return row.bind(source, fromUtcMs).step() ? std::string(row.blob(0)) : std::string();
}

bool PastRun::hasModelOf(const PastRun& other) const {
  return modelHash == other.modelHash && precision == other.precision && device == other.device &&
         views == other.views;
}

bool PastRun::hasTimesOf(const PastRun& other) const {
  return begunUtcMs == other.begunUtcMs || (!replay && !other.replay);
}

bool PastRun::hasPlaceOf(const PastRun& other, const MetricName& metric) const {
  if (metric.kind == MetricKind::squareMetres && ground && other.ground &&
      *ground != *other.ground) {
    return false;
  }
  const Zone *here = zoneIn(zones, metric.zone), *there = zoneIn(other.zones, metric.zone);
  return here == nullptr || there == nullptr || here->corners == there->corners;
}

Way PastRun::last(std::int64_t beforeUtcMs) const {
  Way way = first;
  for (const Event& event : events) {
    if (event.at.utcMs < beforeUtcMs) way = changed(way, event);
  }
  return way;
}

PastRun pastRun(const RunFacts& facts) {
  Json settings = Json::parse(facts.settings, nullptr, false);
  if (!settings.is_object()) settings = Json::object();
  PastRun run;
  run.begunUtcMs = facts.begun.utcMs;
  run.model = facts.model;
  run.modelHash = facts.modelHash;
  run.precision = textOf(at(settings, "precision"));
  run.device = textOf(at(settings, "device"));
  run.zones = zonesIn(settings);
  run.ground = groundIn(settings);
  run.replay = at(settings, "replay") == true;
  run.views = at(settings, "new_view") == true ? 1 : 0;
  run.first.schedule = scheduleIn(settings);
  run.first.memory = at(settings, "memory") == true;
  return run;
}

std::vector<PastRun> pastRuns(const RecordReader& record, const std::string& source) {
  constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 2;
  std::vector<PastRun> runs;
  int views = 0;
  for (const RecordedRun& recorded : record.runs(source)) {
    PastRun& run = runs.emplace_back(pastRun(recorded.facts));
    run.id = recorded.id;
    run.views = views += run.views;
    run.events = record.events(source, 0, kEver, run.id);
    std::erase_if(run.events, [](const Event& event) { return !changesWay(event); });
  }
  return runs;
}

std::deque<Bucket> bucketsOf(const RecordReader& record, const std::string& source,
                             const PastRun& run, const Way& wanted, Resolution resolution,
                             std::int64_t fromUtcMs, std::int64_t toUtcMs,
                             const std::string& metric) {
  const bool memoryMatters = dependsOnMemory(MetricName::parse(metric));
  const std::vector<Stretch> stretches = stretchesOf(wanted, run.first, run.events, memoryMatters);
  if (stretches.empty()) return {};
  const std::vector<Bucket> found =
      record.buckets(source, resolution, fromUtcMs, toUtcMs, {metric}, run.id);
  return bucketsWithin(stretches, {found.begin(), found.end()}, resolution);
}

std::vector<DayPicture> dayPictures(const RecordReader& record, const std::string& source,
                                    std::int64_t fromUtcMs, std::int64_t toUtcMs) {
  std::vector<DayPicture> pictures;
  for (RecordedSnapshot& snapshot : record.snapshots(source, fromUtcMs, toUtcMs)) {
    DayPicture picture;
    picture.frame = std::move(snapshot.picture);
    picture.picture = snapshot.overlay.empty() ? picture.frame : std::move(snapshot.overlay);
    const Json facts = Json::parse(snapshot.facts, nullptr, false);
    if (picture.picture.empty() || at(facts, "filtered") == true) continue;
    picture.taken = snapshot.taken;
    picture.reason = std::move(snapshot.reason);
    picture.labels = std::move(snapshot.labels);
    picture.mergeMap = std::move(snapshot.mergeMap);
    picture.light = lightStateOf(textOf(at(facts, "light"))).value_or(LightState::transition);
    picture.modelHash = textOf(at(at(facts, "run"), "model_hash"));
    // Ignores anything that is no list of integers.
    std::vector<int> merges;
    for (const Json& block : at(facts, "schedule"))
      if (block.is_number_integer()) merges.push_back(block.get<int>());
    picture.schedule = Schedule(std::move(merges));
    const Json figures = at(facts, "figures");
    const double before = numberOf(at(figures, "rows.0")),
                 live = numberOf(at(figures, "live_rows"));
    if (const auto special = specialRows(before, live, numberOf(at(figures, "merged_share")))) {
      picture.tokens = before - *special;
      picture.liveTokens = live - *special;
    }
    pictures.push_back(std::move(picture));
  }
  std::stable_sort(pictures.begin(), pictures.end(), [](const DayPicture& a, const DayPicture& b) {
    return a.taken.utcMs < b.taken.utcMs;
  });
  return pictures;
}

}  // namespace mpm::monitor
