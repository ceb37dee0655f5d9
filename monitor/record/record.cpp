// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/record.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "monitor/record/backup.h"
#include "monitor/record/store.h"
#include "monitor/statistics/comparison.h"
#include "monitor/statistics/metrics.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;
using RealClock = std::chrono::steady_clock;

constexpr std::size_t kMostSnapshotBytes = 64 << 20;  // waiting
constexpr milliseconds kRunPatience{5000}, kNudge{100}, kEndPause{50}, kCheckpoint{30000};
constexpr milliseconds kLongestWait{10000};  // between two tries, while nothing can be written
constexpr std::int64_t kEndPatienceMs = 5000, kUpkeepEveryMs = 60000, kBoundEveryMs = 3600000;
constexpr std::int64_t kWorthTellingMs = 10000;  // of a fault that cost nothing
constexpr std::int64_t kSetbackToldMs = 90000;   // for whoever looks once in a minute

std::size_t bytesOf(const Snapshot& snapshot) {
  std::size_t bytes = snapshot.facts.size();
  for (const cv::Mat* picture :
       {&snapshot.labels, &snapshot.overlay, &snapshot.picture, &snapshot.mergeMap}) {
    bytes += picture->total() * picture->elemSize();
  }
  return bytes;
}

}  // namespace

// Queues that any thread fills, and a thread that empties them in rounds: every `commitEveryMs`, or
// at once if somebody waits. While the disk fails, rounds get ever rarer.
class Record::Impl {
 public:
  Impl(const std::string& path, const RecordOptions& options, Clock& clock)
      : options_(options),
        clock_(clock),
        path_(recordPath(path)),
        snapshotFolder_(snapshotFolderOf(path_)),
        retention_(options_),
        wait_(options_.commitEveryMs) {
    if (options_.mostBytes != 0 && options_.mostBytes < 1 << 20) {
      throw std::invalid_argument("The size limit of a record must be a megabyte or more");
    }
    open();
    nextRun_ = store_->nextRun();
    if (options_.backups > 0) backups_.emplace(path_, options_.backups);
    measure();
    if (const int clips = store_->lostClips(); clips > 0) {
      tellAll("clip", "The monitor was killed, or the power failed, while " +
                          (clips == 1 ? "a clip was" : std::to_string(clips) + " clips were") +
                          " being written: what there was of " + (clips == 1 ? "it" : "them") +
                          " is gone.");
    }
  }

  void start() {
    thread_ = std::thread([this] { run(); });
  }

  std::int64_t beginRun(const RunFacts& facts) {
    if (facts.source.empty()) throw std::invalid_argument("A run needs the name of its source");
    const Metrics refusesRepeatedNames(facts.metrics);
    std::unique_lock lock(mutex_);
    const std::int64_t run = nextRun_++;
    begun_[run] = facts;
    newRuns_.push_back(run);
    newestRuns_[facts.source] = run;
    for (const auto& [name, text] : std::exchange(early_, {})) tellAll(name, text);
    const std::uint64_t queued = ++queued_, failures = failures_;
    hurry_ = true;
    wake_.notify_one();
    done_.wait_for(lock, kRunPatience, [&] { return stored_ >= queued || failures_ != failures; });
    return run;
  }
  void write(std::int64_t run, std::vector<Series::Changed> buckets) {
    const std::lock_guard lock(mutex_);
    const std::size_t metrics = runOf(run).metrics.size();
    for (const Series::Changed& changed : buckets) {
      const std::size_t tallies = changed.bucket.tallies.size();
      if (tallies == metrics) continue;
      throw std::invalid_argument("A bucket of " + std::to_string(tallies) + " tallies for run " +
                                  std::to_string(run) + ", which has " + std::to_string(metrics) +
                                  " metrics");
    }
    for (auto& [resolution, bucket] : buckets) {
      const BucketKey key{resolution, bucket.era, bucket.startUtcMs, run};
      waiting_.buckets.insert_or_assign(key, std::move(bucket));
    }
    queued();
  }
  void write(std::int64_t run, Event event) {
    const std::lock_guard lock(mutex_);
    runOf(run);
    waiting_.events.emplace_back(run, std::move(event));
    queued();
  }
  // Limits waiting pictures, which are large: drops the oldest, but never the newest.
  void write(std::int64_t run, Snapshot snapshot) {
    checkSnapshot(snapshot);
    const std::lock_guard lock(mutex_);
    runOf(run);
    snapshotBytes_ += bytesOf(snapshot);
    snapshots_.emplace_back(run, std::move(snapshot));
    while (snapshotBytes_ > kMostSnapshotBytes && snapshots_.size() > 1) {
      const Snapshot& oldest = snapshots_.front().second;
      snapshotBytes_ -= bytesOf(oldest);
      std::error_code ignored;
      std::filesystem::remove(oldest.clip, ignored);
      snapshots_.pop_front();
      ++givenUp_;
    }
    ++queued_;
  }
  void tell(std::int64_t run, Event event) {
    const std::lock_guard lock(mutex_);
    put(run, std::move(event));
  }
  void setTell(Tell tell) {
    const std::lock_guard lock(mutex_);
    tell_ = std::move(tell);
  }
  void writeView(const std::string& source, std::string view) {
    const std::lock_guard lock(mutex_);
    waiting_.views[source] = {clock_.now().utcMs, std::move(view)};
    queued();
  }
  const std::filesystem::path& snapshotFolder() const { return snapshotFolder_; }
  RecordStatus status() const {
    const std::lock_guard lock(mutex_);
    RecordStatus status = status_;
    status.waiting = waiting_.size() + taken_ + snapshots_.size() + newRuns_.size();
    if (stop_) status.waitingSeconds = waiting_.seconds();
    status.lost = lost();
    if (isSilent()) status.fault = "The disk does not answer: everything waits";
    if (status.fault.empty() && clock_.now().steadyMs < setbackUntilMs_) status.fault = setback_;
    return status;
  }
  bool flush(std::int64_t patienceMs) {
    std::unique_lock lock(mutex_);
    const std::uint64_t queued = queued_, lostBefore = lost();
    const auto end =
        RealClock::now() + milliseconds(std::clamp<std::int64_t>(patienceMs, 0, 86400000));
    while (onDisk_ < queued && RealClock::now() < end) {
      hurry_ = sync_ = true;
      wake_.notify_one();
      done_.wait_until(lock, std::min(end, RealClock::now() + kNudge),
                       [&] { return onDisk_ >= queued; });
    }
    return onDisk_ >= queued && lost() == lostBefore;
  }
  RecordStatus end(std::int64_t patienceMs) {
    if (!thread_.joinable()) return status();
    {
      const std::lock_guard lock(mutex_);
      endPatience_ = milliseconds(patienceMs);
      stop_ = true;
      wake_.notify_one();
    }
    thread_.join();
    return status();
  }

 private:
  struct Run {
    RunFacts facts;
    std::int64_t stored = 0;           // its id in the store that is open; 0: not yet there
    bool wasStored = false;            // in this one or in one that was open before
    std::map<std::string, Event> way;  // of those written that change it, the newest of each kind
  };
  struct Round {
    std::uint64_t queued = 0;  // calls before it
    bool sync = false;         // somebody waits for the disk
    bool stored = false;       // runs, buckets and events were written
    std::string fault;
  };

  // Needs the mutex, like all functions up to the next such line.
  const RunFacts& runOf(std::int64_t run) const {
    const auto place = begun_.find(run);
    if (place != begun_.end()) return place->second;
    throw std::invalid_argument("There is no run " + std::to_string(run) +
                                ": begin one, and write to that");
  }
  std::uint64_t lost() const { return givenUp_ + lostRows_; }
  void queued() {
    ++queued_;
    keepWithin();
  }
  // Drops the oldest buckets of the finest resolution first, since a disk may stay full for days.
  void keepWithin() {
    for (; waiting_.size() > options_.mostWaiting; ++givenUp_) {
      waiting_.buckets.empty() ? void(waiting_.events.erase(waiting_.events.begin()))
                               : void(waiting_.buckets.erase(waiting_.buckets.begin()));
    }
  }
  bool isSilent() const {  // the disk
    return roundSince_ && RealClock::now() - *roundSince_ >= milliseconds(options_.silentMs);
  }
  void put(std::int64_t run, Event event) {
    if (tell_) untold_.emplace_back(runOf(run).source, event);
    waiting_.events.emplace_back(run, std::move(event));
    queued();
  }
  void tellAll(const std::string& name, const std::string& text) {
    if (newestRuns_.empty()) early_.emplace_back(name, text);
    const Moment now = clock_.now();
    for (const auto& [source, run] : newestRuns_) put(run, {now, "record", name, text, {}});
  }
  void beginFault(const std::string& fault) {
    if (status_.fault.empty()) {
      faultSinceMs_ = clock_.now().steadyMs;
      givenUpBefore_ = givenUp_;
    }
    status_.fault = fault;
    ++failures_;
  }
  void endFault() {
    if (status_.fault.empty()) return;
    const std::int64_t forMs = clock_.now().steadyMs - faultSinceMs_;
    // Rows lost with a damaged file are reported with it.
    const std::uint64_t given = givenUp_ - givenUpBefore_;
    if (given > 0 || forMs >= kWorthTellingMs) {
      tellAll("recovered", "Nothing could be written for " + std::to_string(forMs / 1000) + " s (" +
                               status_.fault + "); " +
                               (given == 0 ? "everything waited."
                                           : std::to_string(given) + " rows were given up."));
    }
    status_.fault.clear();
  }
  // Reports the end of a silence. Waiting for a disk is no error, and may never become one.
  void endSilence() {
    const bool wasSilent = isSilent();
    const auto since = std::exchange(roundSince_, std::nullopt);
    if (!wasSilent) return;
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(RealClock::now() - *since);
    tellAll("recovered", "The disk did not answer for " + std::to_string(seconds.count()) +
                             " s; everything waited.");
  }

  // Belongs to the writing thread, without the mutex. Closing the file may take as long as writing
  // it.
  void run() {
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
      const bool isWell = round();
      if (!end) continue;
      if (isWell || RealClock::now() >= *end) break;
      std::this_thread::sleep_for(kEndPause);
    }
    backups_.reset();
    store_.reset();
  }
  bool round() {
    Round round;
    {
      const std::lock_guard lock(mutex_);
      roundSince_ = RealClock::now();
      round.queued = queued_;
      std::swap(round.sync, sync_);
    }
    // Leaves some snapshots for later, so that many of them do not delay the series.
    const auto end = RealClock::now() + milliseconds(options_.commitEveryMs) / 2;
    round.fault = writeBatch();
    round.stored = round.fault.empty();
    if (round.stored) round.fault = writeSnapshots(end);
    // Runs even after an error, since retention makes room.
    const std::string fault = faultOf([&] { upkeep(round.sync); });
    if (round.fault.empty()) round.fault = fault;
    endRound(round);
    const std::lock_guard lock(mutex_);
    return round.fault.empty() && snapshots_.empty() && waiting_.size() == 0;
  }
  void open() {
    if (store_) return;
    const bool isDamaged = trouble_ && trouble_->kind == Trouble::Kind::damaged;
    const Moment now = clock_.now();
    store_ =
        std::make_unique<Store>(path_, journalLimit(options_), now.utcMs, !wasOpen_, isDamaged);
    retention_.begin(*store_);
    for (auto& [id, run] : runs_) run.stored = 0;
    rowsAtLook_ = 0;
    looked_ = RealClock::now();
    std::string past;
    if (store_->isNew()) past = setPastAside(path_, now.utcMs);
    wasOpen_ = true;
    if (trouble_ || !store_->aside().empty() || !past.empty()) tellOpened(past);
  }
  // Reports what happened to the record, once it is open again.
  void tellOpened(const std::string& past) {
    boundMs_.reset();
    const std::string aside = store_->aside().string();
    const bool isGone = trouble_ && trouble_->kind == Trouble::Kind::gone;
    std::string text = "The record was damaged";
    if (isGone) {
      text = "The record is not where it was: " + trouble_->text;
      if (!aside.empty())
        text += "; the file there now was not a sound record, and was moved to \"" + aside + "\"";
    } else if (!aside.empty()) {
      if (trouble_) text += " (" + trouble_->text + ")";
      text += ": it was moved to \"" + aside + "\"";
    } else {
      text = "There was no record any more, only what belonged to one";
    }
    text += store_->isNew() ? ", and a new one was begun."
                            : ", and recording continues in the record that is there now.";
    text += past;
    const std::lock_guard lock(mutex_);
    if (troubleRows_ > 0) {
      text += " " + std::to_string(troubleRows_) + " rows written since it was last read are lost.";
      lostRows_ += troubleRows_;
      status_.written -= std::min(status_.written, troubleRows_);
    }
    tellAll(isGone ? troubleName_ : aside.empty() ? "removed" : "damaged", text);
    // A record removed while nobody wrote it may have been removed on purpose: no error.
    if (trouble_ || !aside.empty()) {
      setback_ = text;
      setbackUntilMs_ = clock_.now().steadyMs + kSetbackToldMs;
    }
    hurry_ = true;
    trouble_.reset();
    troubleRows_ = 0;
  }
  // Drops files that are not what was written; the record is then reopened. Someone who moved it
  // has all rows; otherwise those since it was last read are lost.
  void giveUp(const Trouble& trouble) {
    const bool isMoved = trouble.kind == Trouble::Kind::gone && store_->hasName();
    trouble_ = trouble;
    troubleName_ = isMoved ? "moved" : "removed";
    troubleRows_ += isMoved ? 0 : store_->rows() - rowsAtLook_;
    if (trouble.kind == Trouble::Kind::damaged) store_->leaveAsItIs();
    store_.reset();
  }
  void lookAtIt() {
    const Trouble trouble = store_->look();
    if (trouble.kind == Trouble::Kind::none) {
      rowsAtLook_ = store_->rows();
      looked_ = RealClock::now();
      return;
    }
    giveUp(trouble);
    open();
  }
  // Sets a damaged record aside at once, and repeats the work in the new one.
  template <typename Work>
  std::string faultOf(const Work& work) {
    std::string fault = triedOnce(work);
    return trouble_ && !fault.empty() ? triedOnce(work) : fault;
  }
  // Reopens the database the next time after its own errors or the disk's, since this connection's
  // state cannot be trusted. A lock or a full disk does not count.
  template <typename Work>
  std::string triedOnce(const Work& work) {
    try {
      open();
      work();
      return {};
    } catch (const DatabaseError& error) {
      if (store_ && error.isDamage()) {
        giveUp({Trouble::Kind::damaged, "SQLite cannot read it"});
      } else if (!error.isPassing() && !error.isFull()) {
        store_.reset();
      }
      return error.what();
    } catch (const std::exception& error) {
      return error.what();
    }
  }
  // Repeats the events that describe a run's state in a new record. Otherwise it would be the first
  // state, and values of a moved camera would belong to its first view.
  std::int64_t storedAs(std::int64_t run) {
    Run& found = runs_.at(run);
    if (found.stored == 0) {
      std::vector<Event> way;
      for (const auto& [kind, event] : found.way) way.push_back(event);
      found.stored = store_->addRun(run, found.facts, way, found.wasStored);
      found.wasStored = true;
      synced_ = {};  // what all else leads to is not lost to a power cut
    }
    return found.stored;
  }
  // Takes the runs too, since an item may belong to one that was just begun. Needs the mutex.
  void takeRuns() {
    for (const std::int64_t run : std::exchange(newRuns_, {})) runs_[run].facts = begun_.at(run);
  }
  std::string writeBatch() {
    Batch batch;
    {
      const std::lock_guard lock(mutex_);
      takeRuns();
      std::swap(batch, waiting_);
      taken_ = batch.size();
    }
    std::uint64_t rows = 0;
    const std::string fault = faultOf([&] {
      for (const auto& [id, run] : runs_) storedAs(id);
      if (batch.size() == 0) return;
      const std::uint64_t before = store_->rows();
      store_->write(batch, [this](std::int64_t run) { return storedAs(run); });
      rows = store_->rows() - before;
    });
    const std::lock_guard lock(mutex_);
    taken_ = 0;
    if (!fault.empty()) {
      waiting_.putBack(std::move(batch));
      keepWithin();
      return fault;
    }
    for (const auto& [run, event] : batch.events) {
      if (changesWay(event)) runs_.at(run).way.insert_or_assign(event.kind, event);
    }
    status_.written += rows;
    return {};
  }
  std::string writeSnapshots(RealClock::time_point end) {
    do {
      std::pair<std::int64_t, Snapshot> taken;
      {
        const std::lock_guard lock(mutex_);
        takeRuns();
        if (snapshots_.empty()) return {};
        taken = std::move(snapshots_.front());
        snapshots_.pop_front();
        snapshotBytes_ -= bytesOf(taken.second);
        taken_ = 1;
      }
      const auto& [run, snapshot] = taken;
      std::string never;  // why it cannot be kept, now or later
      const std::string fault = faultOf([&, id = run, &one = snapshot] {
        try {
          store_->write(one, storedAs(id), runs_.at(id).facts);
        } catch (const std::invalid_argument& error) {
          never = error.what();
        }
      });
      const std::lock_guard lock(mutex_);
      taken_ = 0;
      if (!fault.empty()) {
        snapshotBytes_ += bytesOf(snapshot);
        snapshots_.push_front(std::move(taken));
        return fault;
      }
      if (never.empty()) {
        ++status_.written;
      } else {
        ++givenUp_;
        put(run, {snapshot.taken, "record", "lost", never, {}});
      }
    } while (RealClock::now() < end);
    return {};
  }
  // Does whatever is due: retention, a check, a checkpoint.
  void upkeep(bool sync) {
    const Moment now = clock_.now();
    const bool isDue = !cleanedMs_ || now.steadyMs - *cleanedMs_ >= kUpkeepEveryMs;
    if (isDue) {
      cleanedMs_ = now.steadyMs;
      const auto fault = backups_ ? backups_->look(now) : std::nullopt;
      const std::lock_guard lock(mutex_);
      if (fault) tellAll("backup", "No backup could be made: " + *fault);
    }
    // Walks through folders with any number of snapshots.
    if (!boundMs_ || now.steadyMs - *boundMs_ >= kBoundEveryMs) {
      boundMs_ = now.steadyMs;
      besideBytes_ = boundBeside(path_, options_.mostBytes / 2, now.utcMs);
    }
    // The record keeps its half even if other files take more than theirs.
    const std::int64_t beside = std::min(besideBytes_, options_.mostBytes / 2);
    if (isDue || more_) more_ = retention_.work(*store_, now, beside);
    const auto real = RealClock::now();
    const bool isSyncDue = sync || real - synced_ >= kCheckpoint;
    // Looks first, since a checkpoint would hide what happened to the file.
    if (isSyncDue || real - looked_ >= milliseconds(options_.lookEveryMs)) lookAtIt();
    if (!isSyncDue) return;
    store_->checkpoint();
    synced_ = real;
  }
  void measure() {
    struct statvfs disk {};
    const bool isKnown = statvfs(path_.parent_path().c_str(), &disk) == 0;
    const std::int64_t beside = std::min(besideBytes_, options_.mostBytes / 2);
    const std::int64_t bytes = store_ ? store_->bytes() : 0;
    const std::string backupFault = backups_ ? backups_->fault() : std::string();
    const std::lock_guard lock(mutex_);
    if (isKnown) status_.freeBytes = static_cast<std::int64_t>(disk.f_bavail * disk.f_frsize);
    status_.backupFault = backupFault;
    if (!store_) return;
    status_.bytes = bytes + besideBytes_;
    status_.daysToFull =
        retention_.daysToFull(clock_.now().steadyMs, bytes, status_.freeBytes, beside);
  }
  void endRound(const Round& round) {
    measure();
    {
      const std::lock_guard lock(mutex_);
      endSilence();
      if (round.stored) stored_ = round.queued;
      if (!round.fault.empty()) {
        beginFault(round.fault);
      } else {
        endFault();
        if (!snapshots_.empty()) {
          hurry_ = true;
        } else if (round.sync) {
          onDisk_ = round.queued;
        }
      }
      const milliseconds usual(options_.commitEveryMs);
      wait_ = round.fault.empty() ? usual : std::max(usual, std::min(2 * wait_, kLongestWait));
    }
    done_.notify_all();
    tellUntold();
  }
  // Calls back without the mutex, since the callee may ask the record.
  void tellUntold() {
    std::vector<std::pair<std::string, Event>> untold;
    Tell tell;
    {
      const std::lock_guard lock(mutex_);
      untold.swap(untold_);
      tell = tell_;
    }
    for (const auto& [source, event] : untold) tell(source, event);
  }

  const RecordOptions options_;
  Clock& clock_;
  const std::filesystem::path path_, snapshotFolder_;

  // Used by the writing thread.
  std::unique_ptr<Store> store_;
  std::map<std::int64_t, Run> runs_;
  Retention retention_;
  std::optional<Backups> backups_;
  std::optional<std::int64_t> cleanedMs_, boundMs_;  // steady
  std::int64_t besideBytes_ = 0;
  bool more_ = true, wasOpen_ = false;
  RealClock::time_point synced_ = RealClock::now(), looked_ = synced_;
  std::uint64_t rowsAtLook_ = 0;    // of the store, when it was last found sound
  std::optional<Trouble> trouble_;  // that the store was given up for, until it is open again
  std::string troubleName_;
  std::uint64_t troubleRows_ = 0;

  mutable std::mutex mutex_;  // of all below
  std::condition_variable wake_, done_;
  Batch waiting_;
  std::size_t taken_ = 0;  // of what waits: is being written
  std::deque<std::pair<std::int64_t, Snapshot>> snapshots_;
  std::size_t snapshotBytes_ = 0;
  std::map<std::int64_t, RunFacts> begun_;
  std::map<std::string, std::int64_t> newestRuns_;  // by source
  std::vector<std::int64_t> newRuns_;               // that the writing thread does not know yet
  std::int64_t nextRun_ = 1;
  RecordStatus status_;
  Tell tell_;
  std::vector<std::pair<std::string, Event>> untold_;       // with their sources
  std::vector<std::pair<std::string, std::string>> early_;  // before there was a run: name, text
  std::uint64_t queued_ = 0, stored_ = 0, onDisk_ = 0;      // calls, counted
  std::uint64_t givenUp_ = 0, lostRows_ = 0, givenUpBefore_ = 0, failures_ = 0;
  std::int64_t faultSinceMs_ = 0;
  std::optional<RealClock::time_point> roundSince_;  // of one that has not ended
  std::string setback_;                              // told for a while, also when all is well
  std::int64_t setbackUntilMs_ = 0;                  // steady
  milliseconds endPatience_{0}, wait_;
  bool hurry_ = false, sync_ = false, stop_ = false;
  std::thread thread_;
};

Record::Record(const std::string& path, const RecordOptions& options, Clock& clock)
    : impl_(std::make_unique<Impl>(path, options, clock)) {
  impl_->start();
}
Record::~Record() { impl_->end(kEndPatienceMs); }

std::int64_t Record::beginRun(const RunFacts& facts) { return impl_->beginRun(facts); }
void Record::write(std::int64_t run, std::vector<Series::Changed> buckets) {
  impl_->write(run, std::move(buckets));
}
void Record::write(std::int64_t run, Event event) { impl_->write(run, std::move(event)); }
void Record::write(std::int64_t run, Snapshot snapshot) { impl_->write(run, std::move(snapshot)); }
void Record::tell(std::int64_t run, Event event) { impl_->tell(run, std::move(event)); }
void Record::setTell(Tell tell) { impl_->setTell(std::move(tell)); }
void Record::writeView(const std::string& source, std::string view) {
  impl_->writeView(source, std::move(view));
}
const std::filesystem::path& Record::snapshotFolder() const { return impl_->snapshotFolder(); }
RecordStatus Record::status() const { return impl_->status(); }
bool Record::flush(std::int64_t patienceMs) { return impl_->flush(patienceMs); }
RecordStatus Record::end(std::int64_t patienceMs) { return impl_->end(patienceMs); }

}  // namespace mpm::monitor
