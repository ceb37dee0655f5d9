// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "monitor/record/sample_record.h"

namespace mpm::monitor {

/// A record "a.sqlite" that a run of `gate` is written to, and what it says meanwhile.
class RecordCase : public testing::Test {
 protected:
  void begin(const RecordOptions& options) {
    record_ = std::make_unique<Record>(path_, options, clock_);
    run_ = record_->beginRun(sampleRun());
  }
  /// Commits at once, and looks at its files all the time.
  void beginQuick(std::size_t mostWaiting = RecordOptions().mostWaiting) {
    begin({.commitEveryMs = 2, .lookEveryMs = 20, .silentMs = kDiskMs, .mostWaiting = mostWaiting});
  }
  void seconds(std::int64_t count, std::int64_t from = 0) {
    writeSeconds(*record_, run_, count, from);
  }
  RecordStatus status() const { return record_->status(); }
  std::string fault() const { return record_->status().fault; }
  bool flush() { return record_->flush(kDiskMs); }
  bool becomes(const std::function<bool()>& holds) { return test::eventually(holds); }
  /// Without a part: any at all.
  bool hasFault(const std::string& part = "") {
    return becomes([&] { return !fault().empty() && fault().find(part) != std::string::npos; });
  }

  const Folder folder_;
  const std::string path_ = folder_ / "a.sqlite";
  CountingClock clock_{kNoon};
  std::unique_ptr<Record> record_;
  std::int64_t run_ = 0;
};

}  // namespace mpm::monitor
