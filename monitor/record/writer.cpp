// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/writer.h"

#include <sys/statvfs.h>

#include <stdexcept>
#include <utility>

namespace mpm::monitor {
namespace {

constexpr std::int64_t kRetentionEveryMs = 60000;
constexpr std::int64_t kDamageAgainMs = 600000;  // sooner, and the disk is at fault, not the file

}  // namespace

Writer::Writer(const std::filesystem::path& path, const RecordOptions& options, Clock& clock)
    : path_(path.empty() ? path : std::filesystem::absolute(path)),
      options_(options),
      clock_(clock),
      retention_(options),
      synced_(std::chrono::steady_clock::now()) {
  ready();
}

Store& Writer::ready() {
  if (store_ && !store_->isStillThere()) store_.reset();
  if (store_) return *store_;
  const Moment now = clock_.now();
  store_ = std::make_unique<Store>(path_, journalLimit(options_), now.utcMs);
  retention_.begin(*store_);
  if (!store_->damaged().empty()) damaged_ = store_->damaged();
  for (auto& [id, run] : runs_) run.stored = 0;
  return *store_;
}

// After what a database says about itself or the disk, it is opened anew the next time: nothing
// that this connection believes is trusted then. A lock or a full disk is none of that.
template <typename Work>
void Writer::guarded(const Work& work) {
  try {
    work(ready());
  } catch (const DatabaseError& error) {
    if (!store_ || error.isPassing() || error.isFull()) throw;
    const Moment now = clock_.now();
    if (error.isDamage() && (!damagedMs_ || now.steadyMs - *damagedMs_ >= kDamageAgainMs)) {
      damagedMs_ = now.steadyMs;
      store_->moveAsideNow(now.utcMs);
      damaged_ = store_->damaged();
    }
    store_.reset();
    throw;
  }
}

std::int64_t Writer::storedAs(std::int64_t run) {
  const auto place = runs_.find(run);
  if (place == runs_.end()) throw std::logic_error("a run that was never begun");
  Run& found = place->second;
  if (found.stored == 0) {
    found.stored = store_->addRun(run, found.facts);
    unsynced_ = true;
    synced_ = {};  // what all else leads to is not lost to a power cut
  }
  return found.stored;
}

void Writer::write(const Batch& batch) {
  guarded([&](Store& store) {
    for (const auto& [id, run] : runs_) storedAs(id);
    if (batch.size() == 0) return;
    store.write(batch, [this](std::int64_t run) { return storedAs(run); });
    unsynced_ = true;
  });
}

void Writer::write(const EncodedSnapshot& snapshot) {
  guarded([&](Store& store) {
    store.write(snapshot, storedAs(snapshot.run), runs_.at(snapshot.run).facts);
    unsynced_ = true;
  });
}

void Writer::upkeep(bool sync) {
  guarded([&](Store& store) {
    const Moment now = clock_.now();
    const bool due = !cleanedMs_ || now.steadyMs - *cleanedMs_ >= kRetentionEveryMs;
    if (due || more_) {
      cleanedMs_ = now.steadyMs;
      more_ = retention_.work(store, now);
    }
    const auto real = std::chrono::steady_clock::now();
    const bool late = real - synced_ >= std::chrono::milliseconds(kCheckpointMs);
    if (sync || (unsynced_ && late) || store.unsyncedBytes() > journalLimit(options_) / 2) {
      store.checkpoint();
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
  if (!store_) return;
  const std::int64_t kept = store_->fileBytes() + store_->snapshotBytes();
  status.bytes = kept + store_->journalBytes();
  forecast_.add(clock_.now().steadyMs, kept);
  status.daysToFull = forecast_.daysToFull(status.freeBytes, options_.mostBytes);
}

std::filesystem::path Writer::takeDamaged() { return std::exchange(damaged_, {}); }

}  // namespace mpm::monitor
