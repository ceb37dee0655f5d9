// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/writer.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "monitor/record/damaged_files.h"
#include "monitor/record/record_path.h"
#include "monitor/statistics/comparison.h"

namespace mpm::monitor {
namespace {

constexpr std::int64_t kRetentionEveryMs = 60000, kDamagedEveryMs = 3600000;
// So many damaged files are moved aside, and one more each minute: more, and the disk is at fault,
// which is spared the whole of what is kept in memory over and over.
constexpr double kMostMoved = 100;
constexpr double kMovedEveryMs = 60000;

}  // namespace

Writer::Writer(const std::filesystem::path& path, const RecordOptions& options, Clock& clock)
    : path_(recordPath(path)),
      options_(options),
      clock_(clock),
      retention_(options),
      mayMoveAside_(kMostMoved),
      synced_(std::chrono::steady_clock::now()) {
  ready();
  if (options.backups > 0) backups_.emplace(path_, options.backups);
}

Store& Writer::ready() {
  if (store_) {
    const Trouble trouble = store_->look();
    if (trouble.kind != Trouble::Kind::none) giveUp(trouble);
  }
  if (store_) return *store_;
  const Moment now = clock_.now();
  store_ = std::make_unique<Store>(path_, journalLimit(options_), now.utcMs, !wasOpen_);
  wasOpen_ = true;
  retention_.begin(*store_);
  for (auto& [id, run] : runs_) run.stored = 0;
  settle();
  return *store_;
}

// The files are not what was written: this ends with them, and the record is opened anew. So it is
// where something of that fails, and what was found is told all the same.
void Writer::giveUp(const Trouble& trouble) {
  const Moment now = clock_.now();
  if (trouble.kind == Trouble::Kind::damaged) countDamage(trouble, now);
  const std::unique_ptr<Store> store = std::move(store_);
  lost_ = store->file();
  Setback& setback = setback_.emplace(
      Setback{"damaged", "The record was damaged (" + trouble.text + ")", true, false});
  switch (trouble.kind) {
    case Trouble::Kind::none:
      return;
    case Trouble::Kind::gone:
      setback.isLost = !store->hasName();
      setback.name = setback.isLost ? "removed" : "moved";
      setback.text = "The record is not where it was: " + trouble.text;
      break;
    case Trouble::Kind::journal:
      setback.isJournals = true;
      store->leaveJournal();
      break;
    case Trouble::Kind::damaged:
      damagedMs_.reset();
      store->moveAsideNow(now.utcMs);
      setback.text += ": it was moved to \"" + store->damaged().string() + "\"";
      break;
  }
}

// std::runtime_error where it was too often: then the file stays where it is.
void Writer::countDamage(const Trouble& trouble, const Moment& now) {
  mayMoveAside_ = std::min(
      kMostMoved, mayMoveAside_ + static_cast<double>(now.steadyMs - movedMs_) / kMovedEveryMs);
  movedMs_ = now.steadyMs;
  if (mayMoveAside_ < 1) {
    throw std::runtime_error("The record \"" + path_.string() + "\" keeps getting damaged (" +
                             trouble.text + "): the disk is probably at fault");
  }
  --mayMoveAside_;
}

// What backups leave of half the limit.
std::int64_t Writer::damagedRoom() const {
  return std::max<std::int64_t>(0, options_.mostBytes / 2 - backupBytes_);
}

// What the record's own things make room for. The newest backup and the newest damaged record stay
// where they take more, and the record has its half all the same.
std::int64_t Writer::besideBytes() const {
  return std::min(backupBytes_, options_.mostBytes / 2) + std::min(damagedBytes_, damagedRoom());
}

// What belonged to the record before is not this one's. A sentence for each.
std::string Writer::setPastAside() {
  const std::int64_t utcMs = clock_.now().utcMs;
  std::string past;
  if (const auto snapshots = moveSnapshotsAside(path_, utcMs); !snapshots.empty()) {
    damagedMs_.reset();
    past += " The snapshots of the one before are in \"" + snapshots.string() + "\" now.";
  }
  if (const std::string kept = keepNewestBackup(path_, utcMs); !kept.empty()) {
    past += " The newest backup of the one before stays, as \"" + backupOf(path_, kept).string() +
            "\" (mpm restore --backup " + kept + ").";
  }
  return past;
}

// The record is open again behind a setback; or what is found as it is opened is one.
void Writer::settle() {
  const std::filesystem::path& damaged = store_->damaged();
  if (!damaged.empty()) damagedMs_.reset();
  if (setback_ && setback_->name == "moved" && store_->file() == lost_) {
    setback_.reset();  // its folder was away, and is back with it
    return;
  }
  const bool isNew = store_->newestUtcMs() == 0;
  if (setback_ && !damaged.empty()) {  // in its place, or what a journal was to be played into
    setback_->text += "; the file there now was not a sound record, and was moved to \"" +
                      damaged.string() + "\"";
    setback_->isJournals = false;
  } else if (!damaged.empty()) {
    setback_ =
        Setback{"damaged", "The record was damaged: it was moved to \"" + damaged.string() + "\"",
                true, false};
  }
  // A journal may have held all there was: then what lies beside it is its own.
  const bool isAnother = isNew && !(setback_ && setback_->isJournals);
  const std::string past = isAnother ? setPastAside() : std::string();
  if (!setback_ && !past.empty()) {
    setback_ =
        Setback{"removed", "There was no record any more, only what belonged to one", true, false};
  }
  if (!setback_) return;
  setback_->text += setback_->isJournals ? ", and recording continues in it."
                    : isNew              ? ", and a new one was begun."
                            : ", and recording continues in the record that is there now.";
  setback_->text += past;
}

// After what a database says about itself or the disk, it is opened anew the next time: nothing
// that this connection believes is trusted then. A lock or a full disk is none of that.
template <typename Work>
void Writer::guarded(const Work& work) {
  try {
    work(ready());
  } catch (const DatabaseError& error) {
    if (!store_ || error.isPassing() || error.isFull()) throw;
    if (error.isDamage()) giveUp({Trouble::Kind::damaged, "SQLite cannot read it"});
    store_.reset();
    throw;
  }
}

std::int64_t Writer::storedAs(std::int64_t run) {
  const auto place = runs_.find(run);
  if (place == runs_.end()) throw std::logic_error("a run that was never begun");
  Run& found = place->second;
  if (found.stored == 0) {
    const std::int64_t stored = store_->addRun(run, found.facts);
    // Another store than it was in does not know in which way it goes: it would be the first one.
    Batch way;
    for (const auto& [kind, event] : found.way) way.events.emplace_back(run, event);
    if (way.size() > 0) store_->write(way, [stored](std::int64_t) { return stored; });
    found.stored = stored;
    unsynced_ = true;
    synced_ = {};  // what all else leads to is not lost to a power cut
  }
  return found.stored;
}

void Writer::keepWays(const Batch& batch) {
  for (const auto& [run, event] : batch.events) {
    if (!changesWay(event)) continue;
    Event& kept = runs_.at(run).way.try_emplace(event.kind, event).first->second;
    const std::pair before(kept.at.era, kept.at.utcMs);
    // One that is written again may be older.
    if (before <= std::pair(event.at.era, event.at.utcMs)) kept = event;
  }
}

std::uint64_t Writer::write(const Batch& batch) {
  std::uint64_t rows = 0;
  guarded([&](Store& store) {
    for (const auto& [id, run] : runs_) storedAs(id);
    if (batch.size() == 0) return;
    const std::uint64_t before = store.rows();
    store.write(batch, [this](std::int64_t run) { return storedAs(run); });
    rows = store.rows() - before;
    keepWays(batch);
    unsynced_ = true;
  });
  return rows;
}

void Writer::write(const EncodedSnapshot& snapshot) {
  guarded([&](Store& store) {
    store.write(snapshot, storedAs(snapshot.run), runs_.at(snapshot.run).facts);
    unsynced_ = true;
  });
}

void Writer::writeView(const std::string& source, std::int64_t utcMs, const std::string& view) {
  guarded([&](Store& store) {
    store.writeView(source, utcMs, view);
    unsynced_ = true;
  });
}

void Writer::upkeep(bool sync) {
  guarded([&](Store& store) {
    const Moment now = clock_.now();
    const bool due = !cleanedMs_ || now.steadyMs - *cleanedMs_ >= kRetentionEveryMs;
    if (due || more_ || !damagedMs_) {
      cleanedMs_ = now.steadyMs;
      if (due) backupBytes_ = boundBackups(path_, options_.mostBytes / 2);
      if (!damagedMs_ || now.steadyMs - *damagedMs_ >= kDamagedEveryMs) {
        damagedMs_ = now.steadyMs;
        damagedBytes_ = boundDamaged(
            store.path(), options_.mostBytes > 0 ? std::max<std::int64_t>(1, damagedRoom()) : 0,
            now.utcMs);
      }
      more_ = retention_.work(store, now, besideBytes());
    }
    if (due && backups_) backupFault_ = backups_->look(now).value_or(backupFault_);
    const auto real = std::chrono::steady_clock::now();
    const bool late = real - synced_ >= std::chrono::milliseconds(kCheckpointMs);
    if (sync || (unsynced_ && late) || store.unsyncedBytes() > journalLimit(options_) / 2) {
      if (const Trouble trouble = store.checkpoint(); trouble.kind != Trouble::Kind::none) {
        giveUp(trouble);
        throw std::runtime_error("The record is opened again (" + trouble.text + ")");
      }
      synced_ = real;
      unsynced_ = false;
    }
  });
}

void Writer::measure(RecordStatus& status) {
  struct statvfs disk {};
  if (statvfs(path_.parent_path().c_str(), &disk) == 0) {
    status.freeBytes = static_cast<std::int64_t>(disk.f_bavail * disk.f_frsize);
  }
  if (backups_) status.backupFault = backups_->fault();
  if (!store_) return;
  const std::int64_t kept = store_->fileBytes() + store_->snapshotBytes();
  status.bytes = kept + store_->journalBytes() + backupBytes_ + damagedBytes_;
  forecast_.add(clock_.now().steadyMs, kept);
  const std::int64_t most =
      options_.mostBytes > 0 ? std::max<std::int64_t>(1, options_.mostBytes - besideBytes()) : 0;
  status.daysToFull = forecast_.daysToFull(status.freeBytes, most);
}

std::optional<Setback> Writer::takeSetback() {
  return store_ ? std::exchange(setback_, std::nullopt) : std::nullopt;
}

Batch Writer::takePresent(Batch& batch) {
  Batch present;
  guarded([&](Store& store) {
    present = store.takePresent(batch, [this](std::int64_t run) { return storedAs(run); });
  });
  return present;
}

}  // namespace mpm::monitor
