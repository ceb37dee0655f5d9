// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/record.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "monitor/record/record_impl.h"
#include "monitor/record/record_path.h"
#include "monitor/statistics/metrics.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;
using RealClock = std::chrono::steady_clock;

constexpr std::size_t kMostSnapshotBytes = 64 << 20;  // waiting
constexpr milliseconds kRunPatience{5000}, kNudge{100};
constexpr std::int64_t kEndPatienceMs = 5000;

const RecordOptions& checked(const RecordOptions& options) {
  const auto days = [](double value) { return std::isfinite(value) && value >= 0; };
  if (!std::all_of(options.keepDays.begin(), options.keepDays.end(), days) ||
      !days(options.keepEventsDays) || !days(options.keepSnapshotsDays)) {
    throw std::invalid_argument("The days that a record keeps things must be 0 or more");
  }
  if (options.mostBytes != 0 && options.mostBytes < 1 << 20) {
    throw std::invalid_argument(
        "The size limit of a record must be a megabyte or more, or 0 for no limit");
  }
  if (options.commitEveryMs < 1 || options.silentMs < 1) {
    throw std::invalid_argument(
        "The time between commits of a record, and that its disk may take, must be at least 1 ms");
  }
  if (options.mostClipBytes < 0 || options.mostPictureBytes < 0) {
    throw std::invalid_argument(
        "The size limits of a record's clips and pictures must be 0 or more");
  }
  if (options.backups < 0 || options.backups > kMostBackups) {
    throw std::invalid_argument("The number of backups must be 0 to 99");
  }
  if (options.mostWaiting < 1)
    throw std::invalid_argument("A record must let at least one thing wait");
  return options;
}

void checkRun(const RunFacts& facts) {
  if (facts.source.empty()) throw std::invalid_argument("A run needs the name of its source");
  const Metrics refusesRepeatedNames(facts.metrics);
}

}  // namespace

Record::Impl::Impl(const std::string& path, const RecordOptions& options, Clock& clock)
    : options_(checked(options)),
      clock_(clock),
      writer_(std::in_place, path, options_, clock),
      snapshotFolder_(SnapshotFolder::pathOf(recordPath(path))),
      waiting_(options_.mostWaiting),
      snapshots_(kMostSnapshotBytes),
      nextRun_(writer_->nextRun()),
      wait_(options_.commitEveryMs) {
  writer_->measure(status_);
  if (const auto found = writer_->takeSetback()) {
    // One that was removed while nobody wrote it may have been removed on purpose: no fault.
    found->name == "damaged" ? tellSetback(*found, found->text) : tellAll(found->name, found->text);
  }
  tellLostClips(writer_->lostClips());
  tellStrays(writer_->strays());
}

void Record::Impl::start(std::shared_ptr<Impl> self) {
  thread_ = std::thread([self = std::move(self)] { self->run(); });
}

RecordStatus Record::Impl::end(std::int64_t patienceMs) {
  if (!thread_.joinable()) return status();
  std::unique_lock lock(mutex_);
  endPatience_ = milliseconds(patienceMs);
  stop_ = true;
  wake_.notify_one();
  isLeftBehind_ = !done_.wait_for(lock, milliseconds(std::max(patienceMs, options_.silentMs)),
                                  [this] { return hasEnded_; });
  tell_ = nullptr;
  done_.wait(lock, [this] { return !isTelling_; });
  lock.unlock();
  isLeftBehind_ ? thread_.detach() : thread_.join();
  return status();
}

const Record::Impl::Begun& Record::Impl::runOf(std::int64_t run) const {
  const auto place = runs_.find(run);
  if (place != runs_.end()) return place->second;
  throw std::invalid_argument("There is no run " + std::to_string(run) +
                              ": begin one, and write to that");
}

std::uint64_t Record::Impl::lost() const {
  return waiting_.lost() + snapshots_.lost() + unencoded_;
}

std::int64_t Record::Impl::beginRun(const RunFacts& facts) {
  checkRun(facts);
  std::unique_lock lock(mutex_);
  const std::int64_t run = nextRun_++;
  runs_[run] = {facts.source, facts.metrics.size()};
  newestRuns_[facts.source] = run;
  begun_.emplace_back(run, facts);
  for (const auto& [name, text] : std::exchange(early_, {})) tellAll(name, text);
  const std::uint64_t queued = ++queued_, failures = failures_;
  hurry_ = true;
  wake_.notify_one();
  done_.wait_for(lock, kRunPatience, [&] { return stored_ >= queued || failures_ != failures; });
  return run;
}

void Record::Impl::write(std::int64_t run, std::vector<Series::Changed> buckets) {
  const std::lock_guard lock(mutex_);
  const std::size_t metrics = runOf(run).metrics;
  for (const Series::Changed& changed : buckets) {
    const std::size_t tallies = changed.bucket.tallies.size();
    if (tallies == metrics) continue;
    throw std::invalid_argument("A bucket of " + std::to_string(tallies) + " tallies for run " +
                                std::to_string(run) + ", which has " + std::to_string(metrics) +
                                " metrics");
  }
  for (Series::Changed& changed : buckets) waiting_.put(run, std::move(changed));
  ++queued_;
}

void Record::Impl::write(std::int64_t run, Event event) {
  const std::lock_guard lock(mutex_);
  runOf(run);
  waiting_.put(run, std::move(event));
  ++queued_;
}

void Record::Impl::tell(std::int64_t run, Event event) {
  const std::lock_guard lock(mutex_);
  put(run, std::move(event));
}

void Record::Impl::put(std::int64_t run, Event event) {
  if (tell_) untold_.emplace_back(runOf(run).source, event);
  waiting_.put(run, std::move(event));
  ++queued_;
}

void Record::Impl::setTell(Tell tell) {
  const std::lock_guard lock(mutex_);
  tell_ = std::move(tell);
}

void Record::Impl::write(std::int64_t run, Snapshot snapshot) {
  checkSnapshot(snapshot);
  const std::lock_guard lock(mutex_);
  runOf(run);
  snapshots_.put({run, std::move(snapshot), {}});
  ++queued_;
}

void Record::Impl::writeView(const std::string& source, std::string view) {
  const std::lock_guard lock(mutex_);
  views_[source] = {clock_.now().utcMs, std::move(view)};
  ++queued_;
}

bool Record::Impl::isSilent() const {
  return roundSince_ && RealClock::now() - *roundSince_ >= milliseconds(options_.silentMs);
}

RecordStatus Record::Impl::status() const {
  const std::lock_guard lock(mutex_);
  RecordStatus status = status_;
  status.waiting = waiting_.size() + snapshots_.size() + begun_.size();
  status.waitingSeconds = waiting_.seconds();
  status.lost = lost() + goneRows_;
  status.isLeftBehind = isLeftBehind_;
  if (isLeftBehind_) {
    status.fault = "The disk does not answer";
  } else if (isSilent()) {
    status.fault = "The disk does not answer: everything waits";
  }
  if (status.fault.empty() && clock_.now().steadyMs < setbackUntilMs_) status.fault = setback_;
  return status;
}

bool Record::Impl::flush(std::int64_t patienceMs) {
  std::unique_lock lock(mutex_);
  const std::uint64_t queued = queued_, lostBefore = lost();
  const auto end =
      RealClock::now() + milliseconds(std::clamp<std::int64_t>(patienceMs, 0, 86400000));
  while (synced_ < queued && RealClock::now() < end) {
    hurry_ = sync_ = true;
    wake_.notify_one();
    done_.wait_until(lock, std::min(end, RealClock::now() + kNudge),
                     [&] { return synced_ >= queued; });
  }
  return synced_ >= queued && lost() == lostBefore;
}

Record::Record(const std::string& path, const RecordOptions& options, Clock& clock)
    : impl_(std::make_shared<Impl>(path, options, clock)) {
  impl_->start(impl_);
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
