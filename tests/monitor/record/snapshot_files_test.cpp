// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/snapshot_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

using Json = nlohmann::json;

Snapshot sample() {
  Snapshot snapshot;
  snapshot.taken = {77, kNoon + 5, 3, false};
  snapshot.reason = "crowded";
  snapshot.labels = (cv::Mat_<unsigned char>(2, 3) << 0, 1, 2, 3, 4, 255);
  snapshot.overlay = cv::Mat(2, 3, CV_8UC3, cv::Scalar(10, 20, 30));
  snapshot.facts = R"({"light":"dusk","figures":{"luma":0.25}})";
  return snapshot;
}

TEST(SnapshotFiles, PicturesComeBackAndTheJsonSaysWhatMadeThem) {
  const Folder folder;
  const SnapshotFolder files(folder / "a.sqlite");
  const EncodedSnapshot encoded = encode(4, sample());
  const std::string stem = snapshotStem(encoded.taken, "gate", 12);
  EXPECT_EQ(stem, "20261101T120000.005Z-gate-12");
  const std::int64_t bytes = files.write(stem, encoded, describe(encoded, stem, 4, sampleRun()));

  EXPECT_EQ(files.labels(stem), folder / ("a-snapshots/" + stem + ".labels.png"));
  const cv::Mat labels = cv::imread(files.labels(stem).string(), cv::IMREAD_UNCHANGED);
  EXPECT_EQ(cv::norm(labels, sample().labels, cv::NORM_INF), 0);
  const cv::Mat overlay = cv::imread(files.overlay(stem).string(), cv::IMREAD_UNCHANGED);
  EXPECT_EQ(cv::norm(overlay, sample().overlay, cv::NORM_INF), 0);

  std::ifstream file(files.json(stem));
  const Json json = Json::parse(file);
  EXPECT_EQ(json["light"], "dusk");
  EXPECT_EQ(json["figures"]["luma"], 0.25);
  EXPECT_EQ(json["snapshot"]["time"], "2026-11-01T12:00:00.005Z");
  EXPECT_EQ(json["snapshot"]["reason"], "crowded");
  EXPECT_EQ(json["snapshot"]["synchronised"], false);
  EXPECT_EQ(json["snapshot"]["labels"], stem + ".labels.png");
  EXPECT_EQ(json["run"]["source"], "gate");
  EXPECT_EQ(json["run"]["model"], "street.onnx");
  EXPECT_EQ(json["run"]["model_hash"], "5ca1ab1e");
  EXPECT_EQ(json["run"]["settings"]["merge_before"], Json({2, 5}));

  EXPECT_EQ(bytes, files.bytes(stem));
  EXPECT_EQ(files.stems(), std::vector<std::string>{stem});
  files.remove(stem);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "a-snapshots"));
}

TEST(SnapshotFiles, AClipIsRenamedAndIsBackWhereThatWasInVain) {
  const Folder folder;
  const SnapshotFolder files(folder / "a.sqlite");
  const std::filesystem::path clip = folder / "a-snapshots/clip-1.avi.part";
  std::filesystem::create_directory(clip.parent_path());
  std::ofstream(clip) << "a video";
  Snapshot snapshot;
  snapshot.clip = clip;
  const EncodedSnapshot encoded = encode(1, snapshot);
  files.write("s", encoded, describe(encoded, "s", 1, sampleRun()));
  EXPECT_FALSE(std::filesystem::exists(clip));
  EXPECT_EQ(std::filesystem::file_size(files.clip("s")), 7u);
  files.undo("s", encoded);
  EXPECT_EQ(std::filesystem::file_size(clip), 7u);
  EXPECT_TRUE(files.stems().empty());
  std::filesystem::create_directory(folder / "a-snapshots/s.json");  // whose place cannot be taken
  EXPECT_THROW(files.write("s", encoded, "{}"), std::runtime_error);
  EXPECT_EQ(std::filesystem::file_size(clip), 7u);
  std::filesystem::remove(clip);
  EXPECT_THROW(encode(1, snapshot), std::runtime_error) << "one that is gone is given up";
}

TEST(SnapshotFiles, AFrameAndItsMergeMapComeBackAndGoWithTheRest) {
  const Folder folder;
  const SnapshotFolder files(folder / "a.sqlite");
  Snapshot snapshot;
  snapshot.picture = cv::Mat(8, 8, CV_8UC3, cv::Scalar(10, 120, 230));
  snapshot.mergeMap = (cv::Mat_<std::uint16_t>(1, 2) << 7, 40000);
  const EncodedSnapshot encoded = encode(1, snapshot);
  const std::string description = describe(encoded, "s", 1, sampleRun());
  const std::int64_t bytes = files.write("s", encoded, description);
  EXPECT_EQ(bytes, files.bytes("s"));
  EXPECT_LE(cv::norm(cv::imread(files.picture("s").string()), snapshot.picture, cv::NORM_INF), 4);
  const cv::Mat map = cv::imread(files.mergeMap("s").string(), cv::IMREAD_UNCHANGED);
  EXPECT_EQ(cv::norm(map, snapshot.mergeMap, cv::NORM_INF), 0);
  EXPECT_EQ(Json::parse(description)["snapshot"]["picture"], "s.picture.jpg");
  EXPECT_EQ(Json::parse(description)["snapshot"]["merge_map"], "s.merge-map.png");
  files.remove("s");
  EXPECT_TRUE(std::filesystem::is_empty(folder / "a-snapshots"));
}

TEST(SnapshotFiles, ASourcesNameCannotLeadElsewhere) {
  EXPECT_EQ(snapshotStem({}, "../../etc/a b", 1), "19700101T000000.000Z-______etc_a_b-1");
  EXPECT_LT(snapshotStem({}, std::string(5000, 'x'), 1).size(), 120u);
}

// A record of somebody else's may have any stem.
TEST(SnapshotFiles, NothingBesideTheFolderIsRemoved) {
  const Folder folder;
  const SnapshotFolder files(folder / "a.sqlite");
  std::filesystem::create_directory(folder / "a-snapshots");
  std::ofstream(folder / "mine.json") << "{}";
  files.remove("../mine");
  files.remove(folder / "mine");
  EXPECT_TRUE(std::filesystem::exists(folder / "mine.json"));
}

TEST(SnapshotFiles, MissingPicturesHaveNoFile) {
  const Folder folder;
  const SnapshotFolder files(folder / "a");
  Snapshot snapshot = sample();
  snapshot.overlay = cv::Mat();
  snapshot.facts = "";
  const EncodedSnapshot encoded = encode(1, snapshot);
  const std::string description = describe(encoded, "s", 1, sampleRun());
  files.write("s", encoded, description);
  EXPECT_FALSE(std::filesystem::exists(files.overlay("s")));
  EXPECT_FALSE(Json::parse(description)["snapshot"].contains("overlay"));
}

TEST(SnapshotFiles, WhatPngOrJsonCannotHoldIsRefused) {
  Snapshot snapshot = sample();
  snapshot.labels = cv::Mat(2, 2, CV_32S, cv::Scalar(1));
  EXPECT_EQ(refusal([&] { checkSnapshot(snapshot); }),
            "A snapshot's labels of type CV_32SC1 cannot be a PNG: it needs 8 or 16 bits and 1, 3 "
            "or 4 channels");
  snapshot = sample();
  snapshot.overlay = cv::Mat(2, 2, CV_8UC2, cv::Scalar(1, 1));
  EXPECT_THROW(checkSnapshot(snapshot), std::invalid_argument);
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

TEST(SnapshotFiles, TextThatIsNoUtf8DoesNotStopThem) {
  Snapshot snapshot = sample();
  snapshot.reason = "caf\xe9";
  RunFacts run = sampleRun();
  run.settings = "not JSON \xff";
  const Json json = Json::parse(describe(encode(1, snapshot), "s", 1, run));
  EXPECT_EQ(json["snapshot"]["reason"], "caf\xef\xbf\xbd");
}

TEST(SnapshotFiles, NothingIsLeftOfOneThatFailsHalfway) {
  const Folder folder;
  const SnapshotFolder files(folder / "a.sqlite");
  std::filesystem::create_directories(files.json("s"));  // in its JSON's way
  EXPECT_THROW(files.write("s", encode(1, sample()), "{}"), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(files.labels("s")));
  EXPECT_FALSE(std::filesystem::exists(files.overlay("s")));
}

TEST(SnapshotFiles, TheUnfinishedGoesAndTheRestStays) {
  const Folder folder;
  const SnapshotFolder files(folder / "a.sqlite");
  files.write("whole", encode(1, sample()), "{}");
  files.write("known", encode(1, sample()), "{}");
  std::filesystem::remove(files.json("known"));
  for (const char* name : {"half.labels.png", "half.overlay.png.part", "half.picture.jpg",
                           "half.merge-map.png", "mine.txt"}) {
    std::ofstream(folder.path() / "a-snapshots" / name) << "x";
  }
  files.removeUnfinished({"known"});
  EXPECT_FALSE(std::filesystem::exists(files.labels("half")));
  EXPECT_FALSE(std::filesystem::exists(folder / "a-snapshots/half.overlay.png.part"));
  EXPECT_FALSE(std::filesystem::exists(files.picture("half")));
  EXPECT_FALSE(std::filesystem::exists(files.mergeMap("half")));
  EXPECT_TRUE(std::filesystem::exists(folder / "a-snapshots/mine.txt"));
  EXPECT_TRUE(std::filesystem::exists(files.labels("known")));
  EXPECT_TRUE(std::filesystem::exists(files.labels("whole")));
}

}  // namespace
}  // namespace mpm::monitor
