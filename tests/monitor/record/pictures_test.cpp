// SPDX-License-Identifier: Apache-2.0
// The files of snapshots beside a record.
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "monitor/record/database.h"
#include "monitor/record/sample_record.h"
#include "monitor/record/store.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Snapshot sample() {
  return {{77, kNoon + 5, 3, false},
          "crowded",
          (cv::Mat_<std::uint16_t>(2, 3) << 0, 1, 2, 3, 4, 300),
          cv::Mat(2, 3, CV_8UC3, cv::Scalar(10, 20, 30)),
          R"({"light":"dusk","figures":{"luma":0.25}})",
          {},
          cv::Mat(8, 8, CV_8UC3, cv::Scalar(10, 120, 230)),
          (cv::Mat_<std::uint16_t>(1, 2) << 7, 40000)};
}

double difference(const std::string& path, const cv::Mat& expected) {
  return cv::norm(cv::imread(path, cv::IMREAD_UNCHANGED), expected, cv::NORM_INF);
}

// A record "a.sqlite", and its folder of snapshots.
class Pictures : public testing::Test {
 protected:
  // Writes them in a run of a record that is closed then.
  void write(const std::vector<Snapshot>& snapshots) {
    Record record(path_, {}, clock_);
    const std::int64_t run = record.beginRun(sampleRun());
    for (const Snapshot& snapshot : snapshots) record.write(run, snapshot);
    ASSERT_TRUE(record.flush(kDiskMs));
  }
  std::vector<RecordedSnapshot> found() const { return snapshotsIn(path_); }
  void run(const std::string& sql) {
    Database(path_, Database::Access::readWrite, kDiskMs).run(sql);
  }

  const Folder folder_;
  const std::string path_ = folder_ / "a.sqlite", stem_ = "20261101T120000.005Z-gate-1";
  const fs::path snapshots_ = folder_ / "a-snapshots";
  const SnapshotFolder files_{path_};
  ManualClock clock_{kNoon};
};

TEST_F(Pictures, ComeBackAndTheJsonSaysWhatMadeThem) {
  Snapshot labelsAlone = sample();
  labelsAlone.overlay = labelsAlone.picture = labelsAlone.mergeMap = cv::Mat();
  labelsAlone.facts = "";
  write({sample(), labelsAlone});  // the same moment
  const auto both = found();
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].labels, snapshots_ / (stem_ + ".labels.png"));
  EXPECT_EQ(both[0].reason, "crowded");
  EXPECT_EQ(difference(both[0].labels, sample().labels), 0);
  EXPECT_EQ(difference(both[0].overlay, sample().overlay), 0);
  EXPECT_LE(difference(both[0].picture, sample().picture), 4);
  EXPECT_EQ(difference(both[0].mergeMap, sample().mergeMap), 0);
  EXPECT_EQ(both[0].clip, "");
  EXPECT_EQ(both[1].overlay + both[1].picture + both[1].mergeMap + both[1].clip, "");
  std::ifstream file(snapshots_ / (stem_ + ".json"));
  const Json json = Json::parse(file);
  EXPECT_EQ(json, Json::parse(both[0].facts));
  const std::pair<const char*, Json> expected[] = {
      {"/light", "dusk"},
      {"/figures/luma", 0.25},
      {"/snapshot/time", "2026-11-01T12:00:00.005Z"},
      {"/snapshot/synchronised", false},
      {"/snapshot/merge_map", stem_ + ".merge-map.png"},
      {"/run/model_hash", "5ca1ab1e"},
      {"/run/settings/merge_before", {2, 5}}};
  for (const auto& [path, value] : expected)
    EXPECT_EQ(json.at(Json::json_pointer(path)), value) << path;
  EXPECT_FALSE(Json::parse(both[1].facts)["snapshot"].contains("overlay"));
}

TEST_F(Pictures, AClipIsRenamedAndIsBackWhereThatWasInVain) {
  const Snapshot snapshot = snapshotAt(0, {}, {}, snapshots_ / "growing-1.clip.avi");
  fs::create_directory(snapshots_);
  std::ofstream(snapshot.clip) << "a video";
  files_.write("s", snapshot, 1, sampleRun());
  EXPECT_FALSE(fs::exists(snapshot.clip));
  EXPECT_EQ(fs::file_size(files_.clip("s")), 7u);
  files_.undo("s", snapshot);
  EXPECT_TRUE(files_.stems().empty());
  fs::create_directories(files_.json("s") / "x");  // whose place cannot be taken
  EXPECT_THROW(files_.write("s", snapshot, 1, sampleRun()), std::runtime_error);
  EXPECT_EQ(fs::file_size(snapshot.clip), 7u);
  fs::remove(snapshot.clip);
  EXPECT_THROW(files_.write("s", snapshot, 1, sampleRun()), std::invalid_argument);
  EXPECT_THROW(files_.write("s", sample(), 1, sampleRun()), std::runtime_error);
  EXPECT_FALSE(fs::exists(files_.labels("s"))) << "nothing is left of one that fails halfway";
}

TEST_F(Pictures, OneThatCannotBeKeptIsTold) {
  Record record(path_);
  record.write(record.beginRun(sampleRun()),
               snapshotAt(kNoon, {}, {}, snapshots_ / "growing-1.clip.avi"));
  ASSERT_TRUE(test::eventually([&] { return record.status().lost == 1; }));
  ASSERT_TRUE(record.flush(kDiskMs));
  const auto events = eventsIn(path_);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].name, "lost");
}

// A record of somebody else's may have any stem.
TEST_F(Pictures, NothingElsewhereIsWrittenOrRemoved) {
  EXPECT_EQ(snapshotStem({}, "../../etc/a b", 1), "19700101T000000.000Z-______etc_a_b-1");
  EXPECT_LT(snapshotStem({}, std::string(5000, 'x'), 1).size(), 120u);
  fs::create_directory(snapshots_);
  std::ofstream(folder_ / "mine.json") << "{}";
  files_.remove("../mine");
  files_.remove(folder_ / "mine");
  EXPECT_TRUE(fs::exists(folder_ / "mine.json"));
}

TEST_F(Pictures, WhatPngOrJsonCannotHoldIsRefused) {
  Snapshot labels = sample(), picture = sample();
  labels.labels = cv::Mat(2, 2, CV_32S, cv::Scalar(1));
  picture.picture = cv::Mat(2, 2, CV_8U, cv::Scalar(1));
  EXPECT_TRUE(has(refusal([&] { checkSnapshot(labels); }), "CV_32SC1 cannot be a PNG"));
  EXPECT_TRUE(has(refusal([&] { checkSnapshot(picture); }), "it must be CV_8UC3"));
  for (const char* facts : {"{", "[1]", "7"}) {
    Snapshot snapshot = sample();
    snapshot.facts = facts;
    EXPECT_THROW(checkSnapshot(snapshot), std::invalid_argument) << facts;
  }
  EXPECT_NO_THROW(checkSnapshot(sample()));
  Snapshot latin = sample();  // is no UTF-8, and does not stop it
  latin.reason = "caf\xe9";
  RunFacts run = sampleRun();
  run.settings = "not JSON \xff";
  EXPECT_EQ(Json::parse(files_.write("s", latin, 1, run))["snapshot"]["reason"], "caf\xef\xbf\xbd");
}

TEST_F(Pictures, WhatAKilledProcessLeftGoesAndTheRestStays) {
  write({sample()});
  const std::vector<std::string> unfinished{"half.labels.png", "half.overlay.png.part",
                                            "half.picture.jpg", "growing-1.clip.avi"};
  for (const std::string& name : unfinished) std::ofstream(snapshots_ / name) << "x";
  std::ofstream(snapshots_ / "mine.txt") << "x";
  for (int start = 0; start < 2; ++start) {
    write({});
    for (const std::string& name : unfinished) EXPECT_FALSE(fs::exists(snapshots_ / name)) << name;
    EXPECT_TRUE(fs::exists(snapshots_ / "mine.txt"));
    EXPECT_TRUE(fs::exists(snapshots_ / (stem_ + ".labels.png")));
    const std::vector<Event> events = eventsIn(path_);
    ASSERT_EQ(events.size(), 1U) << "once";
    EXPECT_TRUE(
        has(events[0].text, "while a clip was being written: what there was of it is gone"));
  }
}

// A power cut takes a row and leaves its files, which would count nowhere.
TEST_F(Pictures, ASnapshotWhoseRowIsLostIsFoundAgainAndNeverAnotherRuns) {
  write({sample()});
  run("DELETE FROM snapshot");
  { const Record again(path_, {}, clock_); }
  ASSERT_EQ(found().size(), 1u);
  EXPECT_EQ(found()[0].reason, "crowded");
  EXPECT_EQ(found()[0].taken.era, 3);
  EXPECT_TRUE(fs::exists(found()[0].picture));
  run("DELETE FROM snapshot; UPDATE run SET begun_utc_ms = begun_utc_ms + 1");
  { const Record again(path_, {}, clock_); }
  EXPECT_EQ(found().size(), 0u);
}

}  // namespace
}  // namespace mpm::monitor
