// SPDX-License-Identifier: Apache-2.0
// Removes what is too old or too much from a record.
#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <string>

#include "monitor/record/store.h"

namespace mpm::monitor {
namespace {

constexpr std::chrono::milliseconds kSlice{100};
constexpr int kRows = 500, kFiles = 20;  // in one transaction
constexpr std::int64_t kDayMs = 86400000, kHourMs = 3600000, kSampleMs = 600000;
constexpr Age kAny;

Age olderThan(double days, std::int64_t nowUtcMs) {
  constexpr double kFarthest = 1e15;  // 30 000 years
  return {nowUtcMs - static_cast<std::int64_t>(std::min(days * 86400000.0, kFarthest)), nowUtcMs};
}

// Removes the oldest buckets of an age. Returns how many.
int removeBuckets(Store& store, Resolution resolution, const Age& age) {
  return store.database().change(
      std::string("DELETE FROM bucket WHERE rowid IN (SELECT rowid FROM bucket WHERE "
                  "resolution = ?3 AND start_utc_ms < ?1 AND run IN ") +
          kRunsOfAge + " ORDER BY start_utc_ms LIMIT ?4)",
      age.beforeUtcMs, age.nowUtcMs, static_cast<int>(resolution), kRows);
}

int removeEvents(Store& store, const Age& age) {
  return store.database().change(
      std::string("DELETE FROM event WHERE id IN (SELECT id FROM event WHERE utc_ms < ?1 AND run "
                  "IN ") +
          kRunsOfAge + " ORDER BY utc_ms LIMIT ?3)",
      age.beforeUtcMs, age.nowUtcMs, kRows);
}

// Removes runs that nothing belongs to any more, as a service leaves that is restarted often.
int removeRuns(Store& store, const Age& age) {
  return store.database().change(
      std::string("DELETE FROM run WHERE id IN (SELECT id FROM run WHERE id IN ") + kRunsOfAge +
          " AND id < (SELECT max(id) FROM run AS newest WHERE newest.source = run.source) "
          "AND NOT EXISTS (SELECT 1 FROM bucket WHERE run = run.id) "
          "AND NOT EXISTS (SELECT 1 FROM event WHERE run = run.id) "
          "AND NOT EXISTS (SELECT 1 FROM snapshot WHERE run = run.id) LIMIT ?3)",
      age.beforeUtcMs, age.nowUtcMs, kRows);
}

// Kinds of things that take space: seconds, minutes, hours, days, events, snapshots.
struct Kind {
  std::string from, time, sizes;
};
const std::string kBucket = "bucket WHERE resolution = ",
                  kBlobs = "length(frames) + length(tallies)";
const std::array<Kind, kKindsOfRows> kKinds{
    {{kBucket + "0", "start_utc_ms", kBlobs},
     {kBucket + "1", "start_utc_ms", kBlobs},
     {kBucket + "2", "start_utc_ms", kBlobs},
     {kBucket + "3", "start_utc_ms", kBlobs},
     {"event", "utc_ms", "length(kind) + length(name) + length(text)"},
     {"snapshot", "utc_ms", "bytes + length(facts)"}}};

int removeOldest(Store& store, std::size_t kind) {
  if (kind < kAllResolutions.size()) return removeBuckets(store, kAllResolutions[kind], kAny);
  return kind == kAllResolutions.size() ? removeEvents(store, kAny)
                                        : store.removeSnapshots(1, kAny);
}

std::int64_t freePages(Store& store) { return store.database().number("PRAGMA freelist_count"); }
std::int64_t freeLimit(std::int64_t mostBytes) { return mostBytes / 16; }

std::int64_t usedBytes(Store& store) {
  const std::int64_t pages = store.database().number("PRAGMA page_count") - freePages(store);
  return pages * kPageBytes + store.snapshotBytes();
}

}  // namespace

std::int64_t journalLimit(const RecordOptions& options) {
  constexpr std::int64_t kMost = 4 << 20;
  return options.mostBytes > 0 ? std::min(kMost, options.mostBytes / 4) : kMost;
}

void Retention::begin(const Store& store) {
  newestUtcMs_ = store.newestUtcMs();
  isTooMuch_ = false;
}

bool Retention::believes(const Moment& now) {
  const bool isGap = newestUtcMs_ && *newestUtcMs_ > 0 && now.utcMs - *newestUtcMs_ > kDayMs;
  if (isGap || (era_ && *era_ != now.era)) believedFromMs_ = now.steadyMs + kDayMs;
  newestUtcMs_.reset();
  era_ = now.era;
  return now.steadyMs >= believedFromMs_;
}

bool Retention::work(Store& store, const Moment& now, std::int64_t besideBytes) {
  const auto end = std::chrono::steady_clock::now() + kSlice;
  const bool believed = believes(now);
  bool more = true;
  while (more && std::chrono::steady_clock::now() < end) {
    more = believed && removeOld(store, now.utcMs);
    // Only files take space worth a limit: a clip is as large as a day of values.
    more |= store.snapshotBytes(SnapshotKind::clips) > options_.mostClipBytes &&
            store.removeSnapshots(1, kAny, SnapshotKind::clips) > 0;
    more |= store.snapshotBytes(SnapshotKind::pictures) > options_.mostPictureBytes &&
            store.removeSnapshots(kFiles, kAny, SnapshotKind::pictures) > 0;
    more |= removeExcess(store, besideBytes);
    more |= shrink(store);
  }
  return more;
}

bool Retention::removeOld(Store& store, std::int64_t nowUtcMs) const {
  bool more = false;
  for (const Resolution resolution : kAllResolutions) {
    const double days = options_.keepDays[static_cast<std::size_t>(resolution)];
    more |= removeBuckets(store, resolution, olderThan(days, nowUtcMs)) == kRows;
  }
  more |= removeEvents(store, olderThan(options_.keepEventsDays, nowUtcMs)) == kRows;
  const Age ofSnapshots = olderThan(options_.keepSnapshotsDays, nowUtcMs);
  more |= store.removeSnapshots(kFiles, ofSnapshots) == kFiles;
  more |= removeRuns(store, olderThan(1, nowUtcMs)) == kRows;
  return more;
}

void Retention::weigh(Database& database) {
  constexpr std::int64_t kOverhead = 80;  // of a row: its other columns, and two indexes
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    const auto& [from, time, sizes] = kKinds[i];
    each_[i] = kOverhead + database.number("SELECT avg(" + sizes + ") FROM (SELECT * FROM " + from +
                                           " ORDER BY " + time + " LIMIT 50)");
    bytes_[i] = each_[i] * database.number("SELECT count(*) FROM " + from);
  }
}

// Returns the kind that loses its oldest rows next. Of those with more than their share it is the
// one with the earliest row, otherwise the largest.
std::size_t Retention::next(Database& database) const {
  std::size_t chosen = kKinds.size();
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (bytes_[i] <= options_.mostBytes / static_cast<std::int64_t>(kKinds.size())) continue;
    Statement row(database, "SELECT min(" + kKinds[i].time + ") FROM " + kKinds[i].from);
    if (!row.step() || row.isNull(0) || row.number(0) >= earliest) continue;
    earliest = row.number(0);
    chosen = i;
  }
  const auto largest = std::max_element(bytes_.begin(), bytes_.end());
  return chosen < kKinds.size() ? chosen : static_cast<std::size_t>(largest - bytes_.begin());
}

// Reserves parts of the limit for the journal and free pages. Removes down to nine tenths of the
// rest, so that it does not start again every minute.
bool Retention::removeExcess(Store& store, std::int64_t besideBytes) {
  if (options_.mostBytes <= 0) return false;
  const std::int64_t most =
      options_.mostBytes - journalLimit(options_) - freeLimit(options_.mostBytes);
  const std::int64_t used = usedBytes(store) + besideBytes;
  if (used > most && !isTooMuch_) weigh(store.database());
  isTooMuch_ = isTooMuch_ ? used > most / 10 * 9 : used > most;
  if (!isTooMuch_) return false;
  const std::size_t kind = next(store.database());
  const int removed = removeOldest(store, kind);
  bytes_[kind] -= removed * each_[kind];
  if (removed == 0) bytes_[kind] = 0;  // there is none any more
  isTooMuch_ = *std::max_element(bytes_.begin(), bytes_.end()) > 0;
  return isTooMuch_;
}

// Returns free pages to the disk only if there are many, since new data use them again.
bool Retention::shrink(Store& store) const {
  constexpr std::int64_t kAtLeast = 256;
  const auto tooMany = [&] {
    const std::int64_t pages = store.database().number("PRAGMA page_count");
    std::int64_t most = std::max(kAtLeast, pages / 20);
    if (options_.mostBytes > 0) most = std::min(most, freeLimit(options_.mostBytes) / kPageBytes);
    return freePages(store) > most;
  };
  if (!tooMany()) return false;
  const std::int64_t earlier = freePages(store);
  store.database().run("PRAGMA incremental_vacuum(256)");
  return freePages(store) < earlier && tooMany();
}

std::optional<double> Retention::daysToFull(std::int64_t steadyMs, std::int64_t bytes,
                                            std::int64_t freeBytes, std::int64_t besideBytes) {
  if (past_.empty() || steadyMs - past_.back().first >= kSampleMs)
    past_.emplace_back(steadyMs, bytes);
  // Keeps the newest of the samples that are a day old as the first.
  while (past_.size() > 1 && steadyMs - past_[1].first >= kDayMs) past_.pop_front();
  const std::int64_t pastMs = steadyMs - past_.front().first, grown = bytes - past_.front().second;
  if (pastMs < kHourMs || grown <= 0) return {};
  const bool isLimited = options_.mostBytes > 0;
  if (isLimited && options_.mostBytes - besideBytes - bytes < freeBytes) return {};
  return static_cast<double>(freeBytes) / static_cast<double>(grown) *
         (static_cast<double>(pastMs) / kDayMs);
}

}  // namespace mpm::monitor
