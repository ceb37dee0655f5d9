// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "monitor/record/record.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {

/// A record whose clock stands still until it is told otherwise.
class KeptRecord {
 public:
  explicit KeptRecord(const RecordOptions& options = {}, const RunFacts& facts = sampleRun())
      : options_(options), clock_(kNoon) {
    options_.commitEveryMs = 3600000;
    options_.silentMs = kDiskMs;
    open(facts);
  }

  void open(const RunFacts& facts = sampleRun()) {
    close();
    record_ = std::make_unique<Record>(path(), options_, clock_);
    RunFacts begun = facts;
    begun.begun = clock_.now();
    run_ = record_->beginRun(begun);
    begun.source = "pulse";
    pulse_ = record_->beginRun(begun);
  }
  void close() { record_.reset(); }

  std::string path() const { return folder_ / "a.sqlite"; }
  ManualClock& clock() { return clock_; }
  Record& record() { return *record_; }
  std::int64_t run() const { return run_; }

  void write(std::int64_t startUtcMs, Resolution resolution = Resolution::second) {
    record_->write(run_, {sampleBucket(startUtcMs, 1, resolution)});
  }
  /// More than four megabytes have room for; gives how many seconds stay.
  std::size_t fill() {
    for (int second = 0; second < 10000; ++second) write(kNoon + second * 1000);
    settle();
    return starts().size();
  }
  void snapshot(std::int64_t takenUtcMs, int side = 8) {
    Snapshot snapshot;
    snapshot.taken = {0, takenUtcMs, 0, true};
    snapshot.labels = cv::Mat(side, side, CV_8U);
    cv::randu(snapshot.labels, 0, 256);
    record_->write(run_, snapshot);
  }
  void picture(std::int64_t takenUtcMs, bool withOverlay = false) {
    Snapshot snapshot;
    snapshot.taken = {0, takenUtcMs, 0, true};
    snapshot.picture = cv::Mat(64, 64, CV_8UC3);
    cv::randu(snapshot.picture, 0, 256);
    if (withOverlay) snapshot.overlay = snapshot.picture;
    record_->write(run_, snapshot);
  }
  void clip(std::int64_t takenUtcMs, std::size_t bytes) {
    std::filesystem::create_directories(folder_.path() / "a-snapshots");
    Snapshot snapshot;
    snapshot.taken = {0, takenUtcMs, 0, true};
    snapshot.clip = folder_.path() / ("a-snapshots/" + std::to_string(takenUtcMs) + ".avi.part");
    std::ofstream(snapshot.clip) << std::string(bytes, 'x');
    record_->write(run_, snapshot);
    ASSERT_TRUE(record_->flush(kDiskMs));
  }
  // Time for the record to look after itself; as often as it wants to.
  void settle() {
    for (int i = 0; i < 20; ++i) {
      clock_.advance(61000);
      record_->write(pulse_, {sampleBucket(kNoon, i, Resolution::day)});
      ASSERT_TRUE(record_->flush(kDiskMs));
    }
  }
  // On a slow machine it takes more rounds.
  template <typename Condition>
  void settleUntil(const Condition& condition) {
    settle();
    for (int i = 0; i < 20 && !condition(); ++i) settle();
  }
  std::vector<std::int64_t> starts(Resolution resolution = Resolution::second) const {
    std::vector<std::int64_t> starts;
    for (const Bucket& bucket :
         RecordReader(path()).buckets("gate", resolution, 0, 2 * kNoon, {})) {
      starts.push_back(bucket.startUtcMs);
    }
    return starts;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path() / "a-snapshots"), {}));
  }

 private:
  Folder folder_;
  RecordOptions options_;
  ManualClock clock_;
  std::unique_ptr<Record> record_;
  std::int64_t run_ = 0, pulse_ = 0;
};

}  // namespace mpm::monitor
