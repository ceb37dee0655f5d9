// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "monitor/record/damaged_files.h"
#include "monitor/record/store.h"

// Snapshots whose files are whole, but whose row a power cut took: the row is made anew. Those of
// runs that the record does not know, as after a backup took its place, are none of its own.
namespace mpm::monitor {
namespace {

using Json = nlohmann::json;

struct Described {
  Moment taken;
  std::int64_t run = 0, begunUtcMs = 0;
  std::string source, reason, text;
};

// A number beyond what T holds is refused: the file may be anybody's.
template <class T>
T wholeOf(const Json& value) {
  if (!value.is_number_integer()) throw std::out_of_range("not a whole number");
  const auto number = value.get<std::int64_t>();
  const bool isBeyond = value.is_number_unsigned() && number < 0;
  if (isBeyond || !std::in_range<T>(number)) throw std::out_of_range("too large a number");
  return static_cast<T>(number);
}

std::optional<Described> readDescription(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Described found;
  found.text.assign(std::istreambuf_iterator<char>(file), {});
  try {
    const Json json = Json::parse(found.text);
    const Json& snapshot = json.at("snapshot");
    found.taken.utcMs = wholeOf<std::int64_t>(snapshot.at("utc_ms"));
    found.taken.steadyMs = wholeOf<std::int64_t>(snapshot.at("steady_ms"));
    found.taken.era = wholeOf<std::int32_t>(snapshot.at("era"));
    found.taken.synchronised = snapshot.at("synchronised").get<bool>();
    found.reason = snapshot.at("reason").get<std::string>();
    found.run = wholeOf<std::int64_t>(json.at("run").at("id"));
    found.begunUtcMs = wholeOf<std::int64_t>(json.at("run").at("begun_utc_ms"));
    found.source = json.at("run").at("source").get<std::string>();
  } catch (const Json::exception&) {
    return {};
  } catch (const std::out_of_range&) {
    return {};
  }
  return found;
}

}  // namespace

// Those of no run are set aside at the start alone: later they may be of a run that comes again.
void Store::adoptSnapshots(bool isFirst, std::int64_t utcMs) {
  std::vector<std::string> known, strays;
  {
    Statement rows(*database_, "SELECT stem FROM snapshot ORDER BY stem");
    while (rows.step()) known.push_back(rows.text(0));
  }
  if (isFirst) lostClips_ = folder_.removeUnfinished(known);
  for (const std::string& stem : folder_.stems()) {
    if (std::binary_search(known.begin(), known.end(), stem)) continue;
    try {
      if (!adopt(stem)) strays.push_back(stem);
    } catch (const DatabaseError& error) {
      if (!error.isFull()) throw;
      return;  // the next start will find them
    }
  }
  const bool isNew = newestUtcMs_ == 0;  // then all of the folder is the past's
  if (isFirst && !isNew) strays_ = moveSnapshotsAside(path_, strays, utcMs);
}

// False: it is of a run that is not in the record, whose number another one may have.
bool Store::adopt(const std::string& stem) {
  const std::optional<Described> found = readDescription(folder_.json(stem));
  if (!found) return true;
  Statement insert(*database_,
                   "INSERT INTO snapshot(run, utc_ms, steady_ms, era, synchronised, reason, stem, "
                   "labels, overlay, bytes, facts, picture, merge_map) SELECT ?1, ?2, ?3, ?4, ?5, "
                   "?6, ?7, ?8, ?9, ?10, ?11, ?13, ?14 WHERE EXISTS (SELECT 1 FROM run WHERE id = "
                   "?1 AND source = ?12 AND begun_utc_ms = ?15)");
  insert.bind(1, found->run).bind(2, found->taken.utcMs).bind(3, found->taken.steadyMs);
  insert.bind(4, std::int64_t{found->taken.era}).bind(5, std::int64_t{found->taken.synchronised});
  insert.bindText(6, found->reason).bindText(7, stem);
  insert.bind(8, std::int64_t{std::filesystem::exists(folder_.labels(stem))});
  insert.bind(9, std::int64_t{std::filesystem::exists(folder_.overlay(stem))});
  insert.bind(13, std::int64_t{std::filesystem::exists(folder_.picture(stem))});
  insert.bind(14, std::int64_t{std::filesystem::exists(folder_.mergeMap(stem))});
  insert.bind(10, folder_.bytes(stem)).bindText(11, found->text).bindText(12, found->source);
  insert.bind(15, found->begunUtcMs).run();
  return database_->changes() > 0;
}

}  // namespace mpm::monitor
