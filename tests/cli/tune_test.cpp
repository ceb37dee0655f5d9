// SPDX-License-Identifier: Apache-2.0
// mpm tune: what it runs and what it says of it. How long things take is nobody's promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "cli/mpm.h"
#include "in_project.h"
#include "onnx/graph/proto.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// 96 x 64: a sky that darkens, a ground, a house.
void writePicture(const std::string& path) {
  cv::Mat picture(64, 96, CV_8UC3, cv::Scalar(60, 90, 70));
  for (int y = 0; y < 40; ++y) picture.row(y).setTo(cv::Scalar(220 - 3 * y, 160 - y, 90));
  picture(cv::Rect(50, 20, 28, 30)).setTo(cv::Scalar(40, 40, 200));
  cv::imwrite(path, picture);
}

class Tune : public testing::Test {
 protected:
  Tune() { writePicture(picture_); }

  Ended tune(const std::string& model, const Words& more) const {
    Words words = {"tune", modelFile(model), "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return mpmProgram(words);
  }

  json figuresOf(const Words& more) const {
    Words words = {picture_, "--out", folder_.at("")};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = tune("segmenter_mask.onnx", words);
    EXPECT_EQ(ended.status, 0) << ended.err;
    const bool isToChoose = std::find(more.begin(), more.end(), "auto") != more.end();
    const std::string chooses = "mpm: comparing precisions on 1 frame to choose one\n";
    EXPECT_TRUE(std::regex_match(ended.err, std::regex((isToChoose ? chooses : "") +
                                                       "(tuning  \\[=*>? *\\] +[0-9]+%.*\n)*")))
        << ended.err;
    return json::parse(bytesOf(folder_.at("tune.json")));
  }

  void expectRefused(const std::string& model, const Words& more, int status,
                     const std::string& part) const {
    expectRefusal(tune(model, more), status, "mpm", part);
  }

  Folder folder_;
  const std::string picture_ = folder_.at("picture.png");
};

TEST_F(Tune, ChoosesAPrecisionWhereItIsAskedTo) {
  const json figures = figuresOf({"--precision", "auto", "--merges", "1"});
  ASSERT_GE(figures["precisions"].size(), 2u);  // int8 is everywhere
  EXPECT_EQ(figures["precisions"][0]["precision"], "fp32");
  double chosen = 0;
  for (const json& one : figures["precisions"]) {
    EXPECT_GT(one["ms"], 0);
    if (one["precision"] == figures["precision"]) chosen = one["agreement"];
  }
  EXPECT_GE(chosen, 0.995) << figures.dump();
  const Ended ended =
      tune("segmenter_mask.onnx", {picture_, "--precision", "auto", "--merges", "1"});
  EXPECT_NE(ended.out.find("Computing in "), std::string::npos) << ended.out;
}

// Which of them breaks the model would not show.
TEST_F(Tune, RefusesToJudgeByFramesOfOneColour) {
  const std::string black = folder_.at("black.png");
  cv::imwrite(black, cv::Mat(48, 64, CV_8UC3, cv::Scalar(0, 0, 0)));
  for (const std::string precision : {"auto", "fp32"}) {
    const Ended ended = tune("segmenter_mask.onnx", {black, "--precision", precision});
    EXPECT_EQ(ended.status, 2);
    EXPECT_NE(ended.err.find("each frame has one colour"), std::string::npos) << ended.err;
  }
}

// Every schedule labels them as unmerged runs do.
TEST_F(Tune, LeavesOutFramesOfOneColour) {
  const std::string black = folder_.at("black.png");
  cv::imwrite(black, cv::Mat(48, 64, CV_8UC3, cv::Scalar(0, 0, 0)));
  const json figures = figuresOf({"--merges", "1", black});
  EXPECT_EQ(figures["frames"], 1);
  EXPECT_EQ(figures["left_out"], 1);
  const Ended ended = tune("segmenter_mask.onnx", {picture_, black, "--merges", "1"});
  EXPECT_NE(ended.out.find("1 frame (without 1 of one colour)"), std::string::npos) << ended.out;
}

// The street model, whose residual stream has features far from zero everywhere, which no
// weight of a block shows.
std::string streetWithOutliers(float height, const std::vector<int>& features = {3, 70, 141}) {
  std::ifstream file(inProject("models/street.onnx"), std::ios::binary);
  ::onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromIstream(&file));
  for (auto& constant : *model.mutable_graph()->mutable_initializer()) {
    if (constant.name() != "encoder.patch_embed.proj.bias" &&
        constant.name() != "encoder.cls_token")
      continue;
    auto* const values = reinterpret_cast<float*>(constant.mutable_raw_data()->data());
    for (const int feature : features) values[feature] += height;
  }
  return model.SerializeAsString();
}

double int8AgreementIn(const json& precisions) {
  for (const json& one : precisions) {
    if (one["precision"] == "int8") return one["agreement"];
  }
  return -1;
}

TEST_F(Tune, LeavesOutAPrecisionThatOutliersBreak) {
  const std::string pictures = folder_.at("drawn/images"), size = "256x256";
  ASSERT_EQ(runProgram({besideMpm("mpm-scene"), "--seeds", "7..8", "--size", size, "--out",
                        folder_.at("drawn")})
                .status,
            0);
  const auto tuned = [&](const std::string& model, const Words& more) {
    Words words = {"tune",     model, pictures, "--precision",      "auto",
                   "--merges", "1",   "--out",  folder_.at("tuned")};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = mpmProgram(words);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return json::parse(bytesOf(folder_.at("tuned/tune.json")));
  };
  const auto ofInt8 = [](const json& figures) { return int8AgreementIn(figures["precisions"]); };
  const Words sized = {"--input-size", size};
  const std::string usual = folder_.write("usual.onnx", streetWithOutliers(0));
  const json unbroken = tuned(usual, sized);
  EXPECT_GT(ofInt8(unbroken), 0.995);
  EXPECT_FALSE(unbroken.contains("calibrated_int8"));

  const std::string outliers = folder_.write("outliers.onnx", streetWithOutliers(60));
  const json figures = tuned(outliers, sized);
  EXPECT_LT(ofInt8(figures), 0.985);
  EXPECT_GT(ofInt8(figures), 0.9);
  EXPECT_NE(figures["precision"], "int8");

  // Where features were measured, int8 loses fewer labels.
  const std::string measured = folder_.at("measured.onnx");
  const Ended converted = mpmProgram(
      {"convert", outliers, "-o", measured, "--calibrate", pictures, "--input-size", size});
  EXPECT_EQ(converted.status, 0) << converted.err;
  EXPECT_GT(ofInt8(tuned(measured, {})), ofInt8(figures) + 0.004);
}

// The share of float32's labels that a file keeps in int8.
double keptByInt8(const std::string& model, const std::string& pictures) {
  const Folder labels;
  for (const std::string precision : {"fp32", "int8"}) {
    const Ended ended = mpmProgram(
        {"segment", model, pictures, "--precision", precision, "--out", labels.at(precision)});
    EXPECT_EQ(ended.status, 0) << ended.err;
  }
  double kept = 0, all = 0;
  for (const std::string& name : labels.content()) {
    if (name.find("fp32/") != 0 || name.find("_labels.png") == std::string::npos) continue;
    const cv::Mat exact = cv::imread(labels.at(name), cv::IMREAD_UNCHANGED);
    const cv::Mat found = cv::imread(labels.at("int8" + name.substr(4)), cv::IMREAD_UNCHANGED);
    EXPECT_EQ(found.size(), exact.size());
    if (found.size() != exact.size()) continue;
    kept += cv::countNonZero(found == exact);
    all += static_cast<double>(exact.total());
  }
  return kept / all;
}

// Half of the frames calibrate, the others judge; the command that is told makes such a file.
TEST_F(Tune, TellsHowToMakeAFileThatInt8DoesNotBreak) {
  const std::string drawn = folder_.at("drawn streets"), figures = folder_.at("tune.json");
  const std::string scratch = folder_.at("scratch");
  std::filesystem::create_directory(scratch);
  ASSERT_EQ(
      runProgram({besideMpm("mpm-scene"), "--seeds", "7..10", "--size", "256x256", "--out", drawn})
          .status,
      0);
  const std::string outliers = folder_.write("outliers.onnx", streetWithOutliers(53, {141}));
  folder_.write("outliers.toml", "channel_order = \"RGB\"\n");
  const std::string pictures = drawn + "/images";
  const Ended ended =
      mpmProgram({"tune", outliers, pictures, "--precision", "auto", "--merges", "1",
                  "--min-agreement", "100", "--input-size", "256x256", "--out", folder_.at("")},
                 {{"TMPDIR", scratch}});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(std::filesystem::is_empty(scratch));
  const json tuned = json::parse(bytesOf(figures));
  EXPECT_LT(int8AgreementIn(tuned["precisions"]), 0.995) << tuned["precisions"];
  const json& calibrated = tuned["calibrated_int8"];
  EXPECT_EQ(calibrated["calibrated_on"], 2);
  EXPECT_EQ(calibrated["judged_by"], 2);
  const double agreement = int8AgreementIn(calibrated["precisions"]);
  EXPECT_GE(agreement, 0.995) << calibrated;
  EXPECT_GT(agreement, int8AgreementIn(calibrated["as_it_is"])) << calibrated;
  EXPECT_NE(ended.out.find("Calibrated on 2 of the frames, int8 takes "), std::string::npos);

  const std::string command = calibrated["command"], program = "mpm convert ";
  ASSERT_EQ(command.rfind(program, 0), 0U) << command;
  const Ended made = runProgram(
      {"/bin/sh", "-c", "cd '" + scratch + "' && '" + mpmPath() + "'" + command.substr(3)});
  ASSERT_EQ(made.status, 0) << command << '\n' << made.err;
  EXPECT_NE(bytesOf(scratch + "/outliers_int8.onnx").find("mpm.channel_order"), std::string::npos);
  EXPECT_GE(keptByInt8(scratch + "/outliers_int8.onnx", pictures), 0.995);
}

TEST_F(Tune, TellsThePrecisionThatTheEnvironmentChooses) {
  const Words words = {
      "tune", modelFile("segmenter_mask.onnx"), picture_, "--threads", "1", "--merges", "1"};
  const Ended ended = mpmProgram(words, {{"MPM_PRECISION", "bf16"}});
  const bool hasIt = ended.err.find("cannot multiply in bfloat16") == std::string::npos;
  if (hasIt) {
    EXPECT_NE(ended.out.find("segmenter_mask.onnx in bf16\n"), std::string::npos) << ended.out;
  } else {
    EXPECT_EQ(ended.status, 2) << ended.err;
  }
}

// Agreement of schedules is with unmerged runs in the same precision; this is with float32.
TEST_F(Tune, TellsHowFarInt8IsFromFloat32) {
  const json figures = figuresOf({"--merges", "1", "--precision", "int8"});
  EXPECT_EQ(figures["precision"], "int8");
  const double share = figures["labels_as_fp32"];
  EXPECT_GT(share, kInt8Labels);
  EXPECT_TRUE(figuresOf({"--merges", "1", "--precision", "fp32"})["labels_as_fp32"].is_null());
  const Ended ended =
      tune("segmenter_mask.onnx", {picture_, "--merges", "1", "--precision", "int8"});
  EXPECT_NE(ended.out.find("% of the pixels as fp32 does, unmerged"), std::string::npos);
  EXPECT_EQ(ended.out.find("less than 99.5%") != std::string::npos, share < 0.995) << ended.out;
  const char* const fault = "int8 was not tried calibrated: that takes two frames or more";
  EXPECT_EQ(ended.out.find(fault) != std::string::npos, share < 0.995) << ended.out;
}

TEST_F(Tune, MeasuresTheModelsOwnScheduleInAnyPrecision) {
  const std::string model = folder_.at("three.onnx"), out = folder_.at("three");
  const std::vector<int> own = {1, 3, 6};
  ASSERT_EQ(mpmProgram({"convert", modelFile("segmenter_mask.onnx"), "-o", model, "--merge-before",
                        "1,3,6"})
                .status,
            0);
  for (const std::string precision : {"fp32", "int8"}) {
    ASSERT_EQ(mpmProgram({"tune", model, picture_, "--precision", precision, "--out", out}).status,
              0);
    int found = 0;
    const json figures = json::parse(bytesOf(out + "/tune.json"));
    for (const json& one : figures["schedules"]) found += one["schedule"] == json(own) ? 1 : 0;
    EXPECT_EQ(found, 1) << precision;
  }
}

TEST_F(Tune, RunsEveryScheduleOfOneAndTwoMerges) {
  const json figures = figuresOf({});
  EXPECT_EQ(figures["schedules"].size(), 8U + 28);
  EXPECT_EQ(figures["frames"], 1);
  EXPECT_EQ(figures["full"]["schedule"], json::array());
  EXPECT_EQ(figures["full"]["agreement"], 1);
  EXPECT_EQ(figures["full"]["rows"], std::vector<double>{49});
  EXPECT_GT(figures["floor"], 0);
  EXPECT_LT(figures["floor"], 1);
  EXPECT_EQ(figures["goal"], (json{{"min_agreement", figures["floor"]}}));
  std::set<std::vector<int>> schedules;
  for (const json& one : figures["schedules"]) {
    schedules.insert(one["schedule"].get<std::vector<int>>());
    EXPECT_GE(one["agreement"], 0);
    EXPECT_LE(one["agreement"], 1);
    EXPECT_EQ(one["rows"].size(), one["schedule"].size() + 1);
    EXPECT_GT(one["ms"], 0);
    EXPECT_TRUE(one["schedule"] != (json{2, 5}) || one["close"]);
  }
  EXPECT_EQ(schedules.size(), 8U + 28);
}

TEST_F(Tune, MergesThatWereAskedFor) {
  const json figures = figuresOf({"--merges", "1"});
  for (const json& one : figures["schedules"]) {
    EXPECT_TRUE(one["schedule"].size() == 1 || one["schedule"] == (json{2, 5})) << one;
  }
  EXPECT_EQ(figures["schedules"].size(), 8U + 1);
}

// Nobody is that fast, and everybody is that slow.
TEST_F(Tune, AGoalThatNothingAndOneThatEverythingReaches) {
  EXPECT_EQ(figuresOf({"--merges", "1", "--target-fps", "1000000"})["pick"], nullptr);
  const json easy = figuresOf({"--merges", "1", "--target-fps", "0.001"});
  EXPECT_EQ(easy["goal"], (json{{"target_fps", 0.001}}));
  EXPECT_NE(easy["pick"], nullptr);
}

TEST_F(Tune, AFolderForFigures) {
  const std::string out = folder_.at("out");
  const Ended ended =
      tune("segmenter_mask.onnx", {picture_, picture_, "--merges", "1", "--out", out});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(json::parse(bytesOf(out + "/tune.json"))["frames"], 2);
  for (const char* part : {"(unmerged)", "speed-up", "agreement", "Pick: "})
    EXPECT_NE(ended.out.find(part), std::string::npos) << ended.out << "lacks: " << part;
}

TEST_F(Tune, FramesAreSpreadOverAFolder) {
  const Folder pictures;
  for (const char* name : {"a.png", "b.png", "c.png", "d.png"}) writePicture(pictures.at(name));
  pictures.write("notes.txt", "no picture");
  const std::string figures = folder_.at("tune.json");
  const auto framesOf = [&](const std::string& count) {
    const Ended ended = tune("segmenter_mask.onnx", {pictures.at(""), "--merges", "1", "--count",
                                                     count, "--out", folder_.at("")});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return json::parse(bytesOf(figures))["frames"];
  };
  EXPECT_EQ(framesOf("3"), 3);
  EXPECT_EQ(framesOf("9"), 4);
}

// Seen: "no schedule has 2 merges: the encoder can merge before 1 blocks".
TEST_F(Tune, SaysOfAConvertedFileWhichMergesItHasAndWhatToDo) {
  for (const std::string merges : {"1", "none"}) {
    const std::string file = folder_.at(merges + ".onnx");
    ASSERT_EQ(mpmProgram({"convert", modelFile("segmenter_mask.onnx"), "-o", file, "--merge-before",
                          merges})
                  .status,
              0);
    const Ended tuned = mpmProgram({"tune", file, picture_, "--threads", "1"});
    if (merges == "none") {
      expectRefusal(tuned, 2, "mpm", "already converted, without merges, so there is nothing");
    } else {
      EXPECT_EQ(tuned.status, 0) << tuned.err;
      EXPECT_NE(tuned.out.find("already converted, and merges before 1: no other merges were "
                               "tried. Tune the model that it was made from"),
                std::string::npos)
          << tuned.out;
    }
  }
}

TEST_F(Tune, WhatItRefuses) {
  const std::string model = "segmenter_mask.onnx";
  expectRefused(model, {picture_, "--min-agreement", "0.99"}, 2, "is in percent");
  expectRefused(model, {picture_, "--min-agreement", "101"}, 2, "is in percent");
  expectRefused(model, {picture_, "--min-agreement", "0"}, 2, "is in percent");
  expectRefused(model, {picture_, "--min-agreement", "99", "--target-fps", "9"}, 2,
                "--min-agreement");
  expectRefused(model, {picture_, "--target-fps", "-1"}, 2, "--target-fps");
  expectRefused(model, {picture_, "--merges", "0"}, 2, "--merges");
  expectRefused(model, {picture_, "--merges", "9"}, 2, "no schedule has 9 merges");
  expectRefused(model, {picture_, "--count", "0"}, 2, "--count");
  expectRefused(model, {picture_, "--out", picture_}, 1, "cannot make the folder ");
  expectRefused(model, {picture_, "--stride", "9"}, 2, "only go with --fit slide");
  expectRefused(model, {folder_.at("none.mp4")}, 1, "there is no file or folder ");
  expectRefused(model, {Folder().at("")}, 1, "");
  expectRefused("timm_vit.onnx", {picture_}, 1, "timm_vit.onnx");
  expectRefused("refused_cnn.onnx", {picture_}, 1, "it has no transformer block");
  EXPECT_EQ(folder_.content(), std::set<std::string>{"picture.png"});
}

}  // namespace
}  // namespace mpm::test
