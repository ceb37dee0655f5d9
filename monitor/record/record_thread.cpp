// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <optional>

#include "monitor/record/record_impl.h"

// The writing thread's part of a record.
namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kInOneTransaction = 5000;
constexpr milliseconds kLongestWait{10000};  // between two tries, while nothing can be written
constexpr milliseconds kEndPause{50};
constexpr std::int64_t kWorthTellingMs = 10000;  // of a fault that cost nothing
constexpr std::int64_t kSetbackToldMs = 90000;   // for whoever looks once in a minute

template <typename Work>
std::string faultOf(const Work& work) {
  try {
    work();
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

// To close the file may take as long as to write it.
void Record::Impl::run() {
  loop();
  writer_.reset();
  const std::lock_guard lock(mutex_);
  hasEnded_ = true;
  done_.notify_all();
}

void Record::Impl::loop() {
  std::optional<RealClock::time_point> end;
  RealClock::time_point begun = RealClock::now();
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (!stop_) wake_.wait_until(lock, begun + wait_, [this] { return stop_ || hurry_; });
      hurry_ = false;
      begun = RealClock::now();
      if (stop_ && !end) end = begun + endPatience_;
    }
    const bool well = round();
    if (!end) continue;
    if (well || RealClock::now() >= *end) return;
    std::this_thread::sleep_for(kEndPause);
  }
}

// Whether all is written.
bool Record::Impl::round() {
  Round round;
  {
    const std::lock_guard lock(mutex_);
    roundSince_ = RealClock::now();
    round.queued = queued_;
    std::swap(round.sync, sync_);
  }
  // Many snapshots must not keep the series waiting: what is left of them comes after it.
  const auto end = RealClock::now() + milliseconds(options_.commitEveryMs) / 2;
  round.fault = writeBatches();
  round.stored = round.fault.empty();
  if (round.stored) round.fault = writeSnapshots(end);
  if (round.fault.empty()) round.fault = writeViews();
  // Also after a fault: what retention deletes is room.
  const std::string upkeep = faultOf([&] { writer_->upkeep(round.sync); });
  if (round.fault.empty()) round.fault = upkeep;
  endRound(round);
  const std::lock_guard lock(mutex_);
  return round.fault.empty() && snapshots_.empty() && waiting_.empty() && views_.empty();
}

// What is taken may belong to a run that was begun a moment ago: the writer is told of it first.
void Record::Impl::takeWithRuns(const std::function<void()>& take) {
  std::vector<std::pair<std::int64_t, RunFacts>> begun;
  {
    const std::lock_guard lock(mutex_);
    begun.swap(begun_);
    take();
  }
  for (const auto& [run, facts] : begun) writer_->begin(run, facts);
}

std::string Record::Impl::writeBatches() {
  bool more = true;
  while (more) {
    Batch batch;
    takeWithRuns([&] { batch = waiting_.take(kInOneTransaction); });
    std::uint64_t rows = 0;
    const std::string fault = faultOf([&] { rows = writer_->write(batch); });
    {
      const std::lock_guard lock(mutex_);
      if (!fault.empty()) {
        waiting_.putBack(std::move(batch));
        return fault;
      }
      waiting_.done(batch);
      status_.written += rows;
      more = !waiting_.empty();
    }
    kept_.add(std::move(batch), clock_.now().steadyMs);
  }
  return {};
}

std::string Record::Impl::writeSnapshots(RealClock::time_point end) {
  do {
    std::optional<WaitingSnapshot> taken;
    takeWithRuns([&] { taken = snapshots_.take(); });
    if (!taken) return {};
    if (!encoded(*taken)) continue;
    const std::string fault = faultOf([&] { writer_->write(*taken->encoded); });
    const std::lock_guard lock(mutex_);
    if (!fault.empty()) {
      snapshots_.putBack(std::move(*taken));
      return fault;
    }
    snapshots_.done();
    ++status_.written;
  } while (RealClock::now() < end);
  return {};
}

std::string Record::Impl::writeViews() {
  decltype(views_) taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(views_);
  }
  std::string fault;
  for (auto& [source, view] : taken) {
    if (fault.empty()) {
      fault = faultOf([this, &name = source, &seen = view] {
        writer_->writeView(name, seen.first, seen.second);
      });
    }
    if (fault.empty()) continue;
    const std::lock_guard lock(mutex_);
    views_.try_emplace(source, std::move(view));
  }
  return fault;
}

// One that cannot be a PNG will not be one later either, nor will a clip that is gone come back.
bool Record::Impl::encoded(WaitingSnapshot& taken) {
  if (taken.encoded && taken.encoded->clip.empty()) return true;
  const std::string fault = faultOf([&] { taken.encoded = encode(taken.run, taken.snapshot); });
  if (fault.empty()) {
    if (taken.snapshot.clip.empty()) taken.snapshot = {};
    return true;
  }
  const std::lock_guard lock(mutex_);
  snapshots_.done();
  ++unencoded_;
  put(taken.run, {taken.snapshot.taken, "record", "lost", fault, {}});
  return false;
}

// What the record lost of the last minutes waits again, and the counts say what a reader finds.
void Record::Impl::recover(const Setback& setback) {
  Batch again = kept_.take();
  if (!setback.isLost) again = {};
  Batch present;
  // Where that cannot be told: the next round will meet the same fault, and tell it.
  faultOf([&] { present = writer_->takePresent(again); });
  const std::uint64_t missing = again.size(), kept = missing + present.size();
  // Of buckets the newest version may be missing.
  again.buckets.insert(again.buckets.end(), present.buckets.begin(), present.buckets.end());
  // These still count as written: should the record lose them before all is written again.
  kept_.add(std::move(present), clock_.now().steadyMs);
  const std::uint64_t here = writer_->rows();
  const std::lock_guard lock(mutex_);
  if (!setback.isLost) elsewhere_ = status_.written - std::min(status_.written, here);
  const std::uint64_t gone =
      setback.isJournals ? missing : status_.written - std::min(status_.written, elsewhere_ + here);
  // Of what is kept some has come anew since, and is there.
  const std::uint64_t lost = gone - std::min(gone, kept);
  status_.written -= std::min(status_.written, gone);
  goneRows_ += lost;
  std::string text = setback.text;
  if (missing > 0) {
    text += " " + std::to_string(missing) + " rows of the last minutes are written again.";
  }
  if (lost > 0) text += " " + std::to_string(lost) + " rows are lost.";
  tellSetback(setback, text);
  waiting_.putAgain(std::move(again));
  hurry_ = true;
}

void Record::Impl::endRound(const Round& round) {
  const std::optional<Setback> setback = writer_->takeSetback();
  if (setback) recover(*setback);
  RecordStatus measured;
  writer_->measure(measured);
  const std::string backupFault = writer_->takeBackupFault();
  {
    const std::lock_guard lock(mutex_);
    status_.backupFault = measured.backupFault;
    status_.bytes = measured.bytes;
    status_.freeBytes = measured.freeBytes;
    status_.daysToFull = measured.daysToFull;
    endSilence();
    if (!backupFault.empty()) tellAll("backup", "No backup could be made: " + backupFault);
    if (round.stored) stored_ = round.queued;
    if (!round.fault.empty()) {
      beginFault(round.fault);
    } else {
      endFault();
      if (!snapshots_.empty()) {
        hurry_ = true;
      } else if (round.sync && !setback) {
        synced_ = round.queued;
      }
    }
    const milliseconds usual(options_.commitEveryMs);
    wait_ = round.stored ? usual : std::max(usual, std::min(2 * wait_, kLongestWait));
  }
  done_.notify_all();
  tellUntold();
}

// Whoever is told may ask the record.
void Record::Impl::tellUntold() {
  std::vector<std::pair<std::string, Event>> untold;
  Tell tell;
  {
    const std::lock_guard lock(mutex_);
    untold.swap(untold_);
    tell = tell_;
    isTelling_ = true;
  }
  if (tell) {
    for (const auto& [source, event] : untold) tell(source, event);
  }
  const std::lock_guard lock(mutex_);
  isTelling_ = false;
  done_.notify_all();
}

void Record::Impl::tellAll(const std::string& name, const std::string& text) {
  if (newestRuns_.empty()) early_.emplace_back(name, text);
  const Moment now = clock_.now();
  for (const auto& [source, run] : newestRuns_) put(run, {now, "record", name, text, {}});
}

void Record::Impl::tellSetback(const Setback& setback, const std::string& text) {
  tellAll(setback.name, text);
  setback_ = text;
  setbackUntilMs_ = clock_.now().steadyMs + kSetbackToldMs;
}

void Record::Impl::tellLostClips(int clips) {
  if (clips == 0) return;
  tellAll("clip", "The monitor was killed, or the power failed, while " +
                      (clips == 1 ? "a clip was" : std::to_string(clips) + " clips were") +
                      " being written: what there was of " + (clips == 1 ? "it" : "them") +
                      " is gone.");
}

void Record::Impl::tellStrays(const std::filesystem::path& strays) {
  if (strays.empty()) return;
  tellAll("snapshots",
          "Snapshots of runs that the record does not have, as where a backup took its place, are "
          "in \"" +
              strays.string() + "\" now.");
}

// What waits for a disk that does not answer is no error, and may never be one.
void Record::Impl::endSilence() {
  const bool wasSilent = isSilent();
  const auto since = std::exchange(roundSince_, std::nullopt);
  if (!wasSilent) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(RealClock::now() - *since);
  tellAll("recovered", "The disk did not answer for " + std::to_string(seconds.count()) +
                           " s; everything waited.");
}

void Record::Impl::beginFault(const std::string& fault) {
  if (status_.fault.empty()) {
    faultSinceMs_ = clock_.now().steadyMs;
    lostBeforeFault_ = lost();
  }
  status_.fault = fault;
  ++failures_;
}

void Record::Impl::endFault() {
  if (status_.fault.empty()) return;
  const std::int64_t forMs = clock_.now().steadyMs - faultSinceMs_;
  const std::uint64_t given = lost() - lostBeforeFault_;
  if (given > 0 || forMs >= kWorthTellingMs) {
    tellAll("recovered", "Nothing could be written for " + std::to_string(forMs / 1000) + " s (" +
                             status_.fault + "); " +
                             (given == 0 ? "everything waited."
                                         : std::to_string(given) + " rows were given up."));
  }
  status_.fault.clear();
}

}  // namespace mpm::monitor
