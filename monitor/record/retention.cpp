// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/retention.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "monitor/record/schema.h"

namespace mpm::monitor {
namespace {

constexpr std::chrono::milliseconds kSlice{100};
constexpr int kRows = 500, kFiles = 20;  // in one transaction
constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
constexpr Age kAny;

Age olderThan(double days, std::int64_t nowUtcMs) {
  constexpr double kFarthest = 1e15;  // 30 000 years
  return {nowUtcMs - static_cast<std::int64_t>(std::min(days * 86400000.0, kFarthest)), nowUtcMs};
}

// How many of the oldest went.
int removeBuckets(Store& store, Resolution resolution, const Age& age) {
  Transaction transaction(store.database());
  Statement remove(store.database(),
                   std::string("DELETE FROM bucket WHERE rowid IN (SELECT rowid FROM bucket WHERE "
                               "resolution = ?3 AND start_utc_ms < ?1 AND run IN "
                               "(SELECT id FROM run WHERE ") +
                       kIsOfAge + ") ORDER BY start_utc_ms LIMIT ?4)");
  remove.bind(1, age.beforeUtcMs).bind(2, age.nowUtcMs);
  remove.bind(3, static_cast<std::int64_t>(resolution)).bind(4, std::int64_t{kRows}).run();
  const int removed = store.database().changes();
  transaction.commit();
  return removed;
}

int removeEvents(Store& store, const Age& age) {
  Statement remove(store.database(),
                   std::string("DELETE FROM event WHERE id IN (SELECT id FROM event WHERE "
                               "utc_ms < ?1 AND run IN (SELECT id FROM run WHERE ") +
                       kIsOfAge + ") ORDER BY utc_ms LIMIT ?3)");
  remove.bind(1, age.beforeUtcMs).bind(2, age.nowUtcMs).bind(3, std::int64_t{kRows}).run();
  return store.database().changes();
}

// Runs that nothing tells of any more, as a service leaves them that is started again and again.
int removeRuns(Store& store, const Age& age) {
  Statement remove(store.database(),
                   std::string("DELETE FROM run WHERE id IN (SELECT id FROM run WHERE ") +
                       kIsOfAge +
                       " AND id < (SELECT max(id) FROM run AS newest WHERE newest.source = "
                       "run.source) AND NOT EXISTS (SELECT 1 FROM bucket WHERE run = run.id) "
                       "AND NOT EXISTS (SELECT 1 FROM event WHERE run = run.id) "
                       "AND NOT EXISTS (SELECT 1 FROM snapshot WHERE run = run.id) LIMIT ?3)");
  remove.bind(1, age.beforeUtcMs).bind(2, age.nowUtcMs).bind(3, std::int64_t{kRows}).run();
  return store.database().changes();
}

std::int64_t freePages(Store& store) { return store.database().number("PRAGMA freelist_count"); }

std::int64_t usedBytes(Store& store) {
  const std::int64_t pages = store.database().number("PRAGMA page_count") - freePages(store);
  return pages * kPageBytes + store.snapshotBytes();
}

// The least of a column; nothing: there are no rows.
std::optional<std::int64_t> oldest(Store& store, const std::string& from) {
  Statement least(store.database(), "SELECT min(" + from);
  if (!least.step() || least.isNull(0)) return {};
  const std::int64_t utcMs = least.number(0);
  least.run();
  return utcMs;
}

std::int64_t freeLimit(std::int64_t mostBytes) { return mostBytes / 16; }

}  // namespace

std::int64_t journalLimit(const RecordOptions& options) {
  constexpr std::int64_t kMost = 4 << 20;
  return options.mostBytes > 0 ? std::min(kMost, options.mostBytes / 4) : kMost;
}

bool Retention::believes(const Moment& now) {
  if (newestUtcMs_) {
    const bool gap = *newestUtcMs_ > 0 && now.utcMs - *newestUtcMs_ > kBelieveAfterMs;
    if (gap) believedFromMs_ = now.steadyMs + kBelieveAfterMs;
    newestUtcMs_.reset();
  }
  if (era_ && *era_ != now.era) believedFromMs_ = now.steadyMs + kBelieveAfterMs;
  era_ = now.era;
  return now.steadyMs >= believedFromMs_;
}

bool Retention::work(Store& store, const Moment& now, std::int64_t besideBytes) {
  const auto end = std::chrono::steady_clock::now() + kSlice;
  const bool believed = believes(now);
  bool more = true;
  while (more && std::chrono::steady_clock::now() < end) {
    more = believed && removeOld(store, now.utcMs);
    more |= removeFiles(store);
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

// The files alone take space worth a limit: a clip is as large as a day of figures.
bool Retention::removeFiles(Store& store) const {
  const bool clip = store.clipBytes() > options_.mostClipBytes &&
                    store.removeSnapshots(1, kAny, SnapshotKind::clips) > 0;
  return (store.pictureBytes() > options_.mostPictureBytes &&
          store.removeSnapshots(kFiles, kAny, SnapshotKind::pictures) > 0) ||
         clip;
}

std::vector<Retention::Kind> Retention::kindsOf(Store& store) {
  constexpr std::int64_t kOverhead = 80;  // of a row: its other columns, and two indexes
  Database& database = store.database();
  std::vector<Kind> kinds;
  const auto add = [&](const std::string& table, const std::string& time, const std::string& where,
                       const std::string& sizes, auto remove) {
    Kind kind;
    const std::string few = "(SELECT * FROM " + table + where + " ORDER BY " + time + " LIMIT 50)";
    const std::int64_t rows = database.number(("SELECT count(*) FROM " + table + where).c_str());
    const std::int64_t each =
        kOverhead + database.number(("SELECT avg(" + sizes + ") FROM " + few).c_str());
    kind.bytes = rows * each;
    kind.oldestUtcMs = [&store, from = time + ") FROM " + table + where] {
      return oldest(store, from);
    };
    kind.removeOldest = [remove, each] { return remove() * each; };
    kinds.push_back(std::move(kind));
  };
  for (const Resolution resolution : kAllResolutions) {
    add("bucket", "start_utc_ms",
        " WHERE resolution = " + std::to_string(static_cast<int>(resolution)),
        "length(frames) + length(tallies)",
        [&store, resolution] { return std::int64_t{removeBuckets(store, resolution, kAny)}; });
  }
  add("event", "utc_ms", "", "length(kind) + length(name) + length(text)",
      [&store] { return std::int64_t{removeEvents(store, kAny)}; });
  add("snapshot", "utc_ms", "", "bytes + length(facts)",
      [&store] { return std::int64_t{store.removeSnapshots(1, kAny)}; });
  return kinds;
}

// That of which the oldest goes next; null: there is nothing.
Retention::Kind* Retention::next() {
  Kind *chosen = nullptr, *largest = nullptr;
  std::int64_t earliest = kEnd;
  for (Kind& kind : kinds_) {
    const std::optional<std::int64_t> oldest = kind.oldestUtcMs();
    if (!oldest) continue;
    if (largest == nullptr || kind.bytes > largest->bytes) largest = &kind;
    const bool isMuch = kind.bytes > options_.mostBytes / static_cast<std::int64_t>(kinds_.size());
    if (!isMuch || *oldest >= earliest) continue;
    earliest = *oldest;
    chosen = &kind;
  }
  return chosen != nullptr ? chosen : largest;
}

// Of the limit a part is the journal's, and one the free pages'. Down to nine tenths of the rest,
// so that it does not begin anew every minute.
bool Retention::removeExcess(Store& store, std::int64_t besideBytes) {
  if (options_.mostBytes <= 0) return false;
  const std::int64_t most =
      options_.mostBytes - journalLimit(options_) - freeLimit(options_.mostBytes);
  const std::int64_t used = usedBytes(store) + besideBytes;
  if (used > most && !tooMuch_) {
    tooMuch_ = true;
    kinds_ = kindsOf(store);
  }
  Kind* const kind = tooMuch_ && used > most / 10 * 9 ? next() : nullptr;
  const std::int64_t removed = kind != nullptr ? kind->removeOldest() : 0;
  if (removed > 0) {
    kind->bytes -= removed;
    return true;
  }
  tooMuch_ = false;
  kinds_.clear();
  return false;
}

// Free pages are used again by what comes next; only many of them are given back.
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

}  // namespace mpm::monitor
