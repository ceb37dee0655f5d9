// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/record/forecast.h"
#include "monitor/record/record.h"
#include "monitor/record/retention.h"
#include "monitor/record/snapshot_files.h"
#include "monitor/record/store.h"
#include "monitor/record/waiting.h"

namespace mpm::monitor {

/// What the writing thread has: a store that is opened again whenever it was lost, and the runs of
/// this process, which any store it writes to gets to know. What throws std::runtime_error, one
/// sentence, has written nothing, and may be tried again. Not from two threads at once.
class Writer {
 public:
  Writer(const std::filesystem::path& path, const RecordOptions& options, Clock& clock);

  std::int64_t nextRun() { return store_->nextRun(); }  ///< right after construction
  void begin(std::int64_t run, const RunFacts& facts) { runs_[run].facts = facts; }
  void write(const Batch& batch);
  void write(const EncodedSnapshot& snapshot);

  /// Whatever is due: checkpoint, retention, figures. `sync`: a checkpoint now.
  void upkeep(bool sync);
  void measure(RecordStatus& status);

  /// Where a damaged record was moved to since the last call; empty: there was none.
  std::filesystem::path takeDamaged();

 private:
  struct Run {
    RunFacts facts;
    std::int64_t stored = 0;  // its id in the store that is open; 0: not yet there
  };
  Store& ready();
  std::int64_t storedAs(std::int64_t run);
  template <typename Work>
  void guarded(const Work& work);

  std::filesystem::path path_;
  RecordOptions options_;
  Clock& clock_;
  std::unique_ptr<Store> store_;
  std::map<std::int64_t, Run> runs_;
  std::filesystem::path damaged_;
  Retention retention_;
  Forecast forecast_;
  bool more_ = true, unsynced_ = false;
  std::optional<std::int64_t> cleanedMs_, damagedMs_;  // steady
  std::chrono::steady_clock::time_point synced_;
};

}  // namespace mpm::monitor
