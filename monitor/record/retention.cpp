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

std::int64_t before(std::int64_t nowUtcMs, double days) {
  constexpr double kFarthest = 1e15;  // 30 000 years
  return nowUtcMs - static_cast<std::int64_t>(std::min(days * 86400000.0, kFarthest));
}

// How many of the oldest went.
int removeBuckets(Store& store, Resolution resolution, std::int64_t utcMs) {
  Transaction transaction(store.database());
  Statement remove(store.database(),
                   "DELETE FROM bucket WHERE rowid IN (SELECT rowid FROM bucket WHERE "
                   "resolution = ?1 AND start_utc_ms < ?2 AND run IN "
                   "(SELECT id FROM run WHERE begun_utc_ms < ?2) ORDER BY start_utc_ms LIMIT ?3)");
  remove.bind(1, static_cast<std::int64_t>(resolution)).bind(2, utcMs);
  remove.bind(3, std::int64_t{kRows}).run();
  const int removed = store.database().changes();
  transaction.commit();
  return removed;
}

int removeEvents(Store& store, std::int64_t utcMs) {
  Statement remove(
      store.database(),
      "DELETE FROM event WHERE id IN (SELECT id FROM event WHERE utc_ms < ?1 AND run IN "
      "(SELECT id FROM run WHERE begun_utc_ms < ?1) LIMIT ?2)");
  remove.bind(1, utcMs).bind(2, std::int64_t{kRows}).run();
  return store.database().changes();
}

// Runs that nothing tells of any more, as a service leaves them that is started again and again.
int removeRuns(Store& store, std::int64_t utcMs) {
  Statement remove(store.database(),
                   "DELETE FROM run WHERE id IN (SELECT id FROM run WHERE begun_utc_ms < ?1 "
                   "AND id < (SELECT max(id) FROM run AS newest WHERE newest.source = run.source) "
                   "AND NOT EXISTS (SELECT 1 FROM bucket WHERE run = run.id) "
                   "AND NOT EXISTS (SELECT 1 FROM event WHERE run = run.id) "
                   "AND NOT EXISTS (SELECT 1 FROM snapshot WHERE run = run.id) LIMIT ?2)");
  remove.bind(1, utcMs).bind(2, std::int64_t{kRows}).run();
  return store.database().changes();
}

std::int64_t freePages(Store& store) { return store.database().number("PRAGMA freelist_count"); }

std::int64_t usedBytes(Store& store) {
  const std::int64_t pages = store.database().number("PRAGMA page_count") - freePages(store);
  return pages * kPageBytes + store.snapshotBytes();
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

bool Retention::work(Store& store, const Moment& now) {
  const auto end = std::chrono::steady_clock::now() + kSlice;
  const bool believed = believes(now);
  bool more = true;
  while (more && std::chrono::steady_clock::now() < end) {
    more = believed && removeOld(store, now.utcMs);
    more |= removeExcess(store);
    more |= shrink(store);
  }
  return more;
}

bool Retention::removeOld(Store& store, std::int64_t nowUtcMs) const {
  bool more = false;
  for (const Resolution resolution : kAllResolutions) {
    const double days = options_.keepDays[static_cast<std::size_t>(resolution)];
    more |= removeBuckets(store, resolution, before(nowUtcMs, days)) == kRows;
  }
  more |= removeEvents(store, before(nowUtcMs, options_.keepEventsDays)) == kRows;
  more |= store.removeSnapshots(kFiles, before(nowUtcMs, options_.keepSnapshotsDays)) == kFiles;
  more |= removeRuns(store, before(nowUtcMs, 1)) == kRows;
  return more;
}

// Of the limit a part is the journal's, and one the free pages'. Down to nine tenths of the rest,
// so that it does not begin anew every minute.
bool Retention::removeExcess(Store& store) {
  if (options_.mostBytes <= 0) return false;
  const std::int64_t most =
      options_.mostBytes - journalLimit(options_) - freeLimit(options_.mostBytes);
  const std::int64_t used = usedBytes(store);
  if (used > most) tooMuch_ = true;
  if (used <= most / 10 * 9) tooMuch_ = false;
  if (!tooMuch_) return false;
  const bool some = removeBuckets(store, Resolution::second, kEnd) > 0 ||
                    store.removeSnapshots(1, kEnd) > 0 ||
                    removeBuckets(store, Resolution::minute, kEnd) > 0;
  if (!some) tooMuch_ = false;
  return some;
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
