// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "monitor/record/record.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {

constexpr std::int64_t kHour = 3600000, kDay = 24 * kHour;

/// A record whose clock stands still until it is told otherwise.
class KeptRecord {
 public:
  explicit KeptRecord(const RecordOptions& options = {}, const RunFacts& facts = sampleRun())
      : options_(options) {
    options_.commitEveryMs = 3600000;
    options_.silentMs = kDiskMs;
    open(facts);
  }

  void open(RunFacts facts = sampleRun()) {
    close();
    record_ = std::make_unique<Record>(path(), options_, clock_);
    facts.begun = clock_.now();
    run_ = record_->beginRun(facts);
    facts.source = "pulse";
    pulse_ = record_->beginRun(facts);
  }
  void close() { record_.reset(); }

  std::string path() const { return folder_ / "a.sqlite"; }
  ManualClock& clock() { return clock_; }
  Record& record() { return *record_; }
  std::int64_t bytes() const { return record_->status().bytes; }

  void write(std::int64_t startUtcMs, Resolution resolution = Resolution::second) {
    record_->write(run_, {sampleBucket(startUtcMs, 1, resolution)});
  }
  /// So many, `stepMs` apart, the first at noon.
  void write(int count, std::int64_t stepMs, Resolution resolution) {
    for (int i = 0; i < count; ++i) write(kNoon + i * stepMs, resolution);
  }
  void seconds(int count) { write(count, 1000, Resolution::second); }
  void event(std::int64_t utcMs, const std::string& text = "") {
    record_->write(run_, eventAt(utcMs, "rule", "r", text));
  }
  void snapshot(std::int64_t takenUtcMs, int side = 8) {
    const cv::Mat labels(side, side, CV_8U);
    cv::randu(labels, 0, 256);
    record_->write(run_, snapshotAt(takenUtcMs, labels));
  }
  void picture(std::int64_t takenUtcMs, bool withOverlay = false) {
    Snapshot snapshot = snapshotAt(takenUtcMs, {}, cv::Mat(64, 64, CV_8UC3));
    cv::randu(snapshot.picture, 0, 256);
    if (withOverlay) snapshot.overlay = snapshot.picture;
    record_->write(run_, snapshot);
  }
  void clip(std::int64_t takenUtcMs, std::size_t bytes) {
    const auto path = snapshotFolderOf(this->path()) / (std::to_string(takenUtcMs) + ".avi.part");
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << std::string(bytes, 'x');
    record_->write(run_, snapshotAt(takenUtcMs, {}, {}, path));
    ASSERT_TRUE(record_->flush(kDiskMs));
  }
  /// Time for the record to look after itself, as often as it wants to, once `afterMs` are over.
  void settle(std::int64_t afterMs = 0) {
    clock_.advance(afterMs);
    for (int i = 0; i < 20; ++i) {
      clock_.advance(61000);
      record_->write(pulse_, {sampleBucket(kNoon, i, Resolution::day)});
      ASSERT_TRUE(record_->flush(kDiskMs));
    }
  }
  /// On a slow machine it takes more rounds.
  void settleUntil(const std::function<bool()>& condition) {
    settle();
    for (int i = 0; i < 20 && !condition(); ++i) settle();
    EXPECT_TRUE(condition());
  }
  std::vector<std::int64_t> starts(Resolution resolution = Resolution::second) const {
    std::vector<std::int64_t> starts;
    for (const Bucket& bucket : RecordReader(path()).buckets("gate", resolution, 0, kEver, {}))
      starts.push_back(bucket.startUtcMs);
    return starts;
  }
  std::size_t count(Resolution resolution = Resolution::second) const {
    return starts(resolution).size();
  }
  std::size_t events() const { return eventsIn(path()).size(); }
  std::size_t files() const {
    const std::filesystem::directory_iterator all(snapshotFolderOf(path()));
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

 private:
  Folder folder_;
  RecordOptions options_;
  ManualClock clock_{kNoon};
  std::unique_ptr<Record> record_;
  std::int64_t run_ = 0, pulse_ = 0;
};

}  // namespace mpm::monitor
