// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <stdexcept>
#include <stdlib.h>
#include <string>
#include <system_error>
#include <vector>

#include "in_memory.h"
#include "monitor/clock/manual_clock.h"
#include "monitor/eventually.h"
#include "monitor/record/record.h"
#include "monitor/record/record_reader.h"

namespace mpm::monitor {

constexpr std::int64_t kNoon = 1793534400000;  // 2026-11-01T12:00:00Z
constexpr std::int64_t kEver = 2 * kNoon;      // later than whatever is recorded
constexpr std::int64_t kDiskMs = 120000;       // longer than a disk takes on a busy machine

/// A folder that goes with the test, in memory.
class Folder {
 public:
  Folder() {
    std::string name = (test::folderInMemory() / "mpm-record-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for a test");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Takes the folder away with all that is in it, also where a record begins its file anew in it
  /// meanwhile. Not by renaming it first: what a record sees then was moved, and not removed.
  void remove() const {
    EXPECT_TRUE(test::eventually([this] {
      std::error_code notYet;
      std::filesystem::remove_all(path_, notYet);
      return !std::filesystem::exists(path_);
    }));
  }

  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Until a record has had rounds enough to have done what was asked for before. Its thread looks at
/// the clock three times at least in a round that writes, and twice in one that cannot.
inline bool settles(const CountingClock& clock) {
  return test::eventually([&, before = clock.looks()] { return clock.looks() >= before + 12; });
}

inline RunFacts sampleRun(const std::string& source = "gate",
                          std::vector<std::string> metrics = {"luma", "live_rows"}) {
  RunFacts facts;
  facts.source = source;
  facts.address = "rtsp://gate.example/1";
  facts.model = "street.onnx";
  facts.modelHash = "5ca1ab1e";
  facts.settings = R"({"merge_before":[2,5]})";
  facts.version = "1.2.3";
  facts.metrics = std::move(metrics);
  facts.begun = {1000, kNoon, 0, true};
  return facts;
}

inline Tally tallyOf(const std::vector<double>& values) {
  Tally tally;
  for (const double value : values) tally.add(value);
  return tally;
}

/// Ten frames of `value` and what lies around it, in each of two metrics.
inline Series::Changed sampleBucket(std::int64_t startUtcMs, double value,
                                    Resolution resolution = Resolution::second,
                                    std::int32_t era = 0) {
  Bucket bucket;
  bucket.startUtcMs = startUtcMs;
  bucket.era = era;
  bucket.frames = {7, 0, 0, 2, 0, 1};
  bucket.tallies = {tallyOf({value, value / 3, -value}), tallyOf({value, value, value})};
  return {resolution, bucket};
}

/// What a call throws, as text; empty: nothing.
template <typename Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

inline const std::atomic<bool> kGoOn{false}, kStop{true};  ///< of makeBackup

/// A minute of seconds, their minute, and an event; from `minute` on.
inline void writeMinute(Record& record, std::int64_t run, int minute) {
  const std::int64_t begin = kNoon + 60000 * minute;
  for (int i = 0; i < 60; ++i) record.write(run, {sampleBucket(begin + 1000 * i, i)});
  record.write(run, {sampleBucket(begin, minute, Resolution::minute)});
  record.write(run, Event{{begin, begin, 0, true}, "light", "night", "It is night.", {}});
  ASSERT_TRUE(record.flush(kDiskMs));
}

inline std::size_t minutesIn(const std::filesystem::path& path) {
  return RecordReader(path.string())
      .buckets("gate", Resolution::minute, 0, 2 * kNoon, {"luma"})
      .size();
}

}  // namespace mpm::monitor
