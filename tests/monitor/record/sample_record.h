// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <opencv2/core.hpp>
#include <system_error>

#include "in_memory.h"
#include "monitor/clock/manual_clock.h"
#include "monitor/record/record.h"
#include "monitor/record/record_reader.h"
#include "monitor/says.h"

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
  return {source,
          "rtsp://gate.example/1",
          "street.onnx",
          "5ca1ab1e",
          R"({"merge_before":[2,5]})",
          "1.2.3",
          std::move(metrics),
          {1000, kNoon, 0, true}};
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
  return {resolution,
          {startUtcMs,
           era,
           {7, 0, 0, 2, 0, 1},
           {tallyOf({value, value / 3, -value}), tallyOf({value, value, value})}}};
}

inline Event eventAt(std::int64_t utcMs, const char* kind = "rule", const std::string& name = "",
                     const std::string& text = "") {
  return {{utcMs - kNoon, utcMs, 0, true}, kind, name, text, {}};
}
inline Snapshot snapshotAt(std::int64_t utcMs, const cv::Mat& labels = {},
                           const cv::Mat& picture = {}, const std::filesystem::path& clip = {}) {
  return {{0, utcMs, 0, true}, "by hand", labels, {}, "", clip, picture, {}};
}

/// Writes `count` seconds of a run, from `second` on.
inline void writeSeconds(Record& record, std::int64_t run, std::int64_t count,
                         std::int64_t second = 0) {
  for (std::int64_t i = second; i < second + count; ++i)
    record.write(run, {sampleBucket(kNoon + 1000 * i, static_cast<double>(i))});
}

// What is in a record.
inline std::size_t countIn(const std::filesystem::path& path,
                           Resolution resolution = Resolution::second,
                           const std::string& source = "gate") {
  return RecordReader(path.string()).buckets(source, resolution, 0, kEver, {"luma"}).size();
}
inline std::size_t minutesIn(const std::filesystem::path& path) {
  return countIn(path, Resolution::minute);
}
inline std::vector<Event> eventsIn(const std::string& path, const std::string& source = "gate") {
  return RecordReader(path).events(source, 0, kEver);
}
inline std::vector<RecordedSnapshot> snapshotsIn(const std::string& path,
                                                 const std::string& source = "gate") {
  return RecordReader(path).snapshots(source, 0, kEver);
}

inline const std::atomic<bool> kGoOn{false}, kStop{true};  ///< of makeBackup

/// A minute of seconds, their minute, and an event; from `minute` on.
inline void writeMinute(Record& record, std::int64_t run, int minute) {
  writeSeconds(record, run, 60, 60 * minute);
  const std::int64_t begin = kNoon + 60000 * minute;
  record.write(run, {sampleBucket(begin, minute, Resolution::minute)});
  record.write(run, eventAt(begin, "light", "night", "It is night."));
  ASSERT_TRUE(record.flush(kDiskMs));
}

}  // namespace mpm::monitor
