// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/bucket_rows.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "monitor/record/blobs.h"

namespace mpm::monitor {
namespace {

// Where the tallies of a run's blob go among those asked for; -1: nowhere.
std::vector<int> placesOf(const std::vector<std::string>& stored,
                          const std::vector<std::string>& wanted) {
  std::vector<int> places;
  for (const std::string& name : stored) {
    const auto place = std::find(wanted.begin(), wanted.end(), name);
    places.push_back(place == wanted.end() ? -1 : static_cast<int>(place - wanted.begin()));
  }
  return places;
}

void join(Bucket& into, const Bucket& other) {
  for (std::size_t i = 0; i < into.frames.size(); ++i) into.frames[i] += other.frames[i];
  for (std::size_t i = 0; i < into.tallies.size(); ++i) into.tallies[i].add(other.tallies[i]);
}

// The next row of start, frames, tallies.
Bucket bucketOf(Statement& row, std::int64_t era, const std::vector<int>& places,
                std::size_t metrics) {
  Bucket bucket;
  bucket.era = static_cast<std::int32_t>(era);
  bucket.startUtcMs = row.number(0);
  const auto frames = decodeFrames(row.blob(1));
  const auto tallies = decodeTallies(row.blob(2));
  if (!frames || !tallies || tallies->size() > places.size()) {
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

}  // namespace

// Era by era: within one, the index finds a range of time without a look at the rest.
void addBuckets(Database& database, const RecordedRun& run, Resolution resolution,
                std::int64_t fromUtcMs, std::int64_t toUtcMs,
                const std::vector<std::string>& metrics, std::vector<Bucket>& buckets) {
  const std::vector<int> places = placesOf(run.facts.metrics, metrics);
  Statement nextEra(database,
                    "SELECT min(era) FROM bucket WHERE run = ?1 AND resolution = ?2 AND era > ?3");
  Statement rows(database,
                 "SELECT start_utc_ms, frames, tallies FROM bucket WHERE run = ?1 AND "
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
    while (rows.step()) buckets.push_back(bucketOf(rows, era, places, metrics.size()));
  }
}

std::vector<Bucket> joined(std::vector<Bucket> buckets) {
  std::map<std::pair<std::int32_t, std::int64_t>, std::size_t> places;
  std::vector<Bucket> whole;
  for (Bucket& bucket : buckets) {
    const auto [place, isNew] = places.try_emplace({bucket.era, bucket.startUtcMs}, whole.size());
    if (isNew) {
      whole.push_back(std::move(bucket));
    } else {
      join(whole[place->second], bucket);
    }
  }
  return whole;
}

}  // namespace mpm::monitor
