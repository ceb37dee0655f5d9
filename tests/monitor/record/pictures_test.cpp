// SPDX-License-Identifier: Apache-2.0
// The files of snapshots beside a record.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"
#include "monitor/record/store.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Snapshot sample() {
  Snapshot snapshot;
  snapshot.taken = {77, kNoon + 5, 3, false};
  snapshot.reason = "crowded";
  snapshot.labels = (cv::Mat_<std::uint16_t>(2, 3) << 0, 1, 2, 3, 4, 300);
  snapshot.overlay = cv::Mat(2, 3, CV_8UC3, cv::Scalar(10, 20, 30));
  snapshot.facts = R"({"light":"dusk","figures":{"luma":0.25}})";
  snapshot.picture = cv::Mat(8, 8, CV_8UC3, cv::Scalar(10, 120, 230));
  snapshot.mergeMap = (cv::Mat_<std::uint16_t>(1, 2) << 7, 40000);
  return snapshot;
}

double difference(const std::string& path, const cv::Mat& expected) {
  return cv::norm(cv::imread(path, cv::IMREAD_UNCHANGED), expected, cv::NORM_INF);
}

TEST(Pictures, ComeBackAndTheJsonSaysWhatMadeThem) {
  const Folder folder;
  Record record(folder / "a.sqlite");
  const std::int64_t run = record.beginRun(sampleRun());
  record.write(run, sample());
  Snapshot labelsAlone = sample();
  labelsAlone.overlay = labelsAlone.picture = labelsAlone.mergeMap = cv::Mat();
  labelsAlone.facts = "";
  record.write(run, labelsAlone);  // the same moment
  ASSERT_TRUE(record.flush(kDiskMs));
  EXPECT_EQ(record.status().written, 2u);
  const auto found = RecordReader(folder / "a.sqlite").snapshots("gate", kNoon, kNoon + 6);
  ASSERT_EQ(found.size(), 2u);
  const std::string stem = folder / "a-snapshots/20261101T120000.005Z-gate-1";
  EXPECT_EQ(found[0].labels, stem + ".labels.png");
  EXPECT_EQ(found[0].reason, "crowded");
  EXPECT_EQ(difference(found[0].labels, sample().labels), 0);
  EXPECT_EQ(difference(found[0].overlay, sample().overlay), 0);
  EXPECT_LE(difference(found[0].picture, sample().picture), 4);
  EXPECT_EQ(difference(found[0].mergeMap, sample().mergeMap), 0);
  EXPECT_EQ(found[0].clip, "");
  EXPECT_EQ(found[1].overlay + found[1].picture + found[1].mergeMap + found[1].clip, "");
  std::ifstream file(stem + ".json");
  const Json json = Json::parse(file);
  EXPECT_EQ(json, Json::parse(found[0].facts));
  EXPECT_EQ(json["light"], "dusk");
  EXPECT_EQ(json["figures"]["luma"], 0.25);
  EXPECT_EQ(json["snapshot"]["time"], "2026-11-01T12:00:00.005Z");
  EXPECT_EQ(json["snapshot"]["synchronised"], false);
  EXPECT_EQ(json["snapshot"]["merge_map"], "20261101T120000.005Z-gate-1.merge-map.png");
  EXPECT_EQ(json["run"]["model_hash"], "5ca1ab1e");
  EXPECT_EQ(json["run"]["settings"]["merge_before"], Json({2, 5}));
  EXPECT_FALSE(Json::parse(found[1].facts)["snapshot"].contains("overlay"));
}

TEST(Pictures, AClipIsRenamedAndIsBackWhereThatWasInVain) {
  const Folder folder;
  const SnapshotFolder files(folder / "a.sqlite");
  Snapshot snapshot;
  snapshot.clip = folder / "a-snapshots/growing-1.clip.avi";
  fs::create_directory(snapshot.clip.parent_path());
  std::ofstream(snapshot.clip) << "a video";
  files.write("s", snapshot, 1, sampleRun());
  EXPECT_FALSE(fs::exists(snapshot.clip));
  EXPECT_EQ(fs::file_size(files.clip("s")), 7u);
  files.undo("s", snapshot);
  EXPECT_TRUE(files.stems().empty());
  fs::create_directories(files.json("s") / "x");  // whose place cannot be taken
  EXPECT_THROW(files.write("s", snapshot, 1, sampleRun()), std::runtime_error);
  EXPECT_EQ(fs::file_size(snapshot.clip), 7u);
  fs::remove(snapshot.clip);
  EXPECT_THROW(files.write("s", snapshot, 1, sampleRun()), std::invalid_argument);
  EXPECT_THROW(files.write("s", sample(), 1, sampleRun()), std::runtime_error);
  EXPECT_FALSE(fs::exists(files.labels("s"))) << "nothing is left of one that fails halfway";
}

TEST(Pictures, OneThatCannotBeKeptIsTold) {
  const Folder folder;
  Record record(folder / "a.sqlite");
  Snapshot gone;
  gone.clip = folder / "a-snapshots/growing-1.clip.avi";
  record.write(record.beginRun(sampleRun()), gone);
  ASSERT_TRUE(test::eventually([&] { return record.status().lost == 1; }));
  ASSERT_TRUE(record.flush(kDiskMs));
  const auto events = RecordReader(folder / "a.sqlite").events("gate", 0, kEver);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].name, "lost");
}

// A record of somebody else's may have any stem.
TEST(Pictures, NothingElsewhereIsWrittenOrRemoved) {
  const Folder folder;
  const SnapshotFolder files(folder / "a.sqlite");
  EXPECT_EQ(snapshotStem({}, "../../etc/a b", 1), "19700101T000000.000Z-______etc_a_b-1");
  EXPECT_LT(snapshotStem({}, std::string(5000, 'x'), 1).size(), 120u);
  fs::create_directory(folder / "a-snapshots");
  std::ofstream(folder / "mine.json") << "{}";
  files.remove("../mine");
  files.remove(folder / "mine");
  EXPECT_TRUE(fs::exists(folder / "mine.json"));
}

TEST(Pictures, WhatPngOrJsonCannotHoldIsRefused) {
  Snapshot snapshot = sample();
  snapshot.labels = cv::Mat(2, 2, CV_32S, cv::Scalar(1));
  EXPECT_EQ(refusal([&] { checkSnapshot(snapshot); }),
            "A snapshot's labels of type CV_32SC1 cannot be a PNG: it needs 8 or 16 bits and 1, 3 "
            "or 4 channels");
  snapshot = sample();
  snapshot.picture = cv::Mat(2, 2, CV_8U, cv::Scalar(1));
  EXPECT_EQ(refusal([&] { checkSnapshot(snapshot); }),
            "A snapshot's picture of type CV_8UC1 cannot be kept: it must be CV_8UC3");
  for (const char* facts : {"{", "[1]", "7"}) {
    snapshot = sample();
    snapshot.facts = facts;
    EXPECT_THROW(checkSnapshot(snapshot), std::invalid_argument) << facts;
  }
  EXPECT_NO_THROW(checkSnapshot(sample()));
}

TEST(Pictures, TextThatIsNoUtf8DoesNotStopThem) {
  const Folder folder;
  Snapshot snapshot = sample();
  snapshot.reason = "caf\xe9";
  RunFacts run = sampleRun();
  run.settings = "not JSON \xff";
  const SnapshotFolder files(folder / "a.sqlite");
  EXPECT_EQ(Json::parse(files.write("s", snapshot, 1, run))["snapshot"]["reason"],
            "caf\xef\xbf\xbd");
}

TEST(Pictures, WhatAKilledProcessLeftGoesAndTheRestStays) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  {
    Record record(path);
    record.write(record.beginRun(sampleRun()), sample());
    ASSERT_TRUE(record.flush(kDiskMs));
  }
  const auto has = [&](const std::string& name) {
    return fs::exists(folder / ("a-snapshots/" + name));
  };
  const std::vector<std::string> unfinished{"half.labels.png", "half.overlay.png.part",
                                            "half.picture.jpg", "growing-1.clip.avi"};
  for (const std::string& name : unfinished) std::ofstream(folder / ("a-snapshots/" + name)) << "x";
  std::ofstream(folder / "a-snapshots/mine.txt") << "x";
  for (int start = 0; start < 2; ++start) {
    Record record(path);
    record.beginRun(sampleRun());
    ASSERT_TRUE(record.flush(kDiskMs));
    for (const std::string& name : unfinished) EXPECT_FALSE(has(name)) << name;
    EXPECT_TRUE(has("mine.txt"));
    EXPECT_TRUE(has("20261101T120000.005Z-gate-1.labels.png"));
    const std::vector<Event> events = RecordReader(path).events("gate", 0, kEver);
    ASSERT_EQ(events.size(), 1U) << "once";
    EXPECT_EQ(events[0].text,
              "The monitor was killed, or the power failed, while a clip was being written: what "
              "there was of it is gone.");
  }
}

// A power cut takes a row and leaves its files, which would count nowhere.
TEST(Pictures, ASnapshotWhoseRowIsLostIsFoundAgainAndNeverAnotherRuns) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  ManualClock clock(kNoon);
  const auto watch = [&](std::int64_t begunUtcMs) {
    Record record(path, {}, clock);
    RunFacts facts = sampleRun();
    facts.begun.utcMs = begunUtcMs;
    record.write(record.beginRun(facts), sample());
    ASSERT_TRUE(record.flush(kDiskMs));
  };
  const auto forget = [&](const char* what) {
    Database(path, Database::Access::readWrite, kDiskMs).run(what);
  };
  const auto found = [&] { return RecordReader(path).snapshots("gate", 0, kEver); };
  watch(kNoon);
  forget("DELETE FROM snapshot");
  { const Record again(path, {}, clock); }
  ASSERT_EQ(found().size(), 1u);
  EXPECT_EQ(found()[0].reason, "crowded");
  EXPECT_EQ(found()[0].taken.era, 3);
  EXPECT_TRUE(fs::exists(found()[0].picture));
  forget("DELETE FROM snapshot; UPDATE run SET begun_utc_ms = begun_utc_ms + 1");
  { const Record again(path, {}, clock); }
  EXPECT_EQ(found().size(), 0u);
}

TEST(Pictures, ADescriptionWithANumberThatNothingHoldsIsLeftAlone) {
  const Folder folder;
  const std::string path = folder / "a.sqlite";
  const auto describe = [&](const std::string& utcMs, const std::string& era) {
    fs::create_directory(snapshotFolderOf(path));
    std::ofstream(snapshotFolderOf(path) / "s.json")
        << R"({"snapshot":{"utc_ms":)" << utcMs << R"(,"steady_ms":1,"era":)" << era
        << R"(,"synchronised":true,"reason":"r"},"run":{"id":1,"source":"gate","begun_utc_ms":)"
        << kNoon << "}}";
    const Record record(path);
    return RecordReader(path).snapshots("gate", 0, kEver).size();
  };
  { Record(path).beginRun(sampleRun()); }
  for (const char* utcMs : {"1.5", "1e22", "17935344000793534400000", "18446744073709551615"})
    EXPECT_EQ(describe(utcMs, "0"), 0u) << utcMs;
  EXPECT_EQ(describe("1793534400000", "4294967296"), 0u);
  EXPECT_EQ(describe("1793534400000", "0"), 1u);
}

}  // namespace
}  // namespace mpm::monitor
