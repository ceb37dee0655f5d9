// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "monitor/record/kept.h"
#include "monitor/record/record.h"
#include "monitor/record/snapshot_queue.h"
#include "monitor/record/waiting.h"
#include "monitor/record/writer.h"

namespace mpm::monitor {

/// Queues that any thread fills, and a thread that empties them in rounds: one in `commitEveryMs`,
/// or at once where somebody waits for it. While the disk fails, rounds come ever more slowly.
class Record::Impl {
 public:
  Impl(const std::string& path, const RecordOptions& options, Clock& clock);

  void start(std::shared_ptr<Impl> self);  // the thread, which holds it; end() is to be called then

  std::int64_t beginRun(const RunFacts& facts);
  void write(std::int64_t run, std::vector<Series::Changed> buckets);
  void write(std::int64_t run, Event event);
  void write(std::int64_t run, Snapshot snapshot);
  void tell(std::int64_t run, Event event);
  void setTell(Tell tell);
  void writeView(const std::string& source, std::string view);
  const std::filesystem::path& snapshotFolder() const { return snapshotFolder_; }
  RecordStatus status() const;
  bool flush(std::int64_t patienceMs);
  RecordStatus end(std::int64_t patienceMs);

 private:
  // These are called with the mutex held.
  struct Begun {
    std::string source;
    std::size_t metrics = 0;
  };
  const Begun& runOf(std::int64_t run) const;  // std::invalid_argument: no such run
  std::uint64_t lost() const;
  bool isSilent() const;                    // the disk
  void put(std::int64_t run, Event event);  // one about the record itself
  void tellAll(const std::string& name, const std::string& text);
  void tellSetback(const Setback& setback, const std::string& text);
  void tellLostClips(int clips);
  void tellStrays(const std::filesystem::path& strays);
  void endFault();
  void endSilence();
  void beginFault(const std::string& fault);

  using RealClock = std::chrono::steady_clock;
  struct Round {
    std::uint64_t queued = 0;  // calls before it
    bool sync = false;         // somebody waits for the disk
    bool stored = false;       // runs, buckets and events were written
    std::string fault;
  };
  // These without: they are the writing thread's. Each gives the fault it met, or nothing.
  void run();
  void loop();
  bool round();  // whether all went well
  void takeWithRuns(const std::function<void()>& take);
  std::string writeBatches();
  std::string writeSnapshots(RealClock::time_point end);
  std::string writeViews();
  bool encoded(WaitingSnapshot& taken);
  void endRound(const Round& round);
  void tellUntold();
  void recover(const Setback& setback);

  const RecordOptions options_;
  Clock& clock_;
  std::optional<Writer> writer_;  // the writing thread's
  Kept kept_;                     // the same
  const std::filesystem::path snapshotFolder_;

  mutable std::mutex mutex_;  // of all below
  std::condition_variable wake_, done_;
  Waiting waiting_;
  SnapshotQueue snapshots_;
  std::map<std::string, std::pair<std::int64_t, std::string>> views_;  // by source: when, which
  std::vector<std::pair<std::int64_t, RunFacts>> begun_;  // runs that the writer does not know yet
  std::map<std::int64_t, Begun> runs_;
  std::map<std::string, std::int64_t> newestRuns_;  // by source
  std::int64_t nextRun_;
  RecordStatus status_;
  Tell tell_;
  std::vector<std::pair<std::string, Event>> untold_;       // with their sources
  std::vector<std::pair<std::string, std::string>> early_;  // before there was a run: name, text
  std::uint64_t queued_ = 0, stored_ = 0, synced_ = 0;      // calls, counted
  std::uint64_t unencoded_ = 0, lostBeforeFault_ = 0, failures_ = 0;
  std::uint64_t goneRows_ = 0;   // that were written, and cannot be read any more
  std::uint64_t elsewhere_ = 0;  // rows that were written into a record which somebody moved away
  std::int64_t faultSinceMs_ = 0;
  std::optional<RealClock::time_point> roundSince_;  // of one that has not ended
  std::string setback_;              // told for a while, also when all is well again
  std::int64_t setbackUntilMs_ = 0;  // steady
  std::chrono::milliseconds endPatience_{0};
  bool hurry_ = false, sync_ = false, stop_ = false;
  bool isTelling_ = false, hasEnded_ = false, isLeftBehind_ = false;  // the writing thread
  std::chrono::milliseconds wait_;
  std::thread thread_;
};

}  // namespace mpm::monitor
