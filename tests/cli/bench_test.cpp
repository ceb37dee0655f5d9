// SPDX-License-Identifier: Apache-2.0
// mpm bench: what it measures and what it says of it, also of a camera's frames with a memory and
// without, and of frames with labels. How long things take is nobody's promise.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/made_models.h"
#include "cli/mpm.h"
#include "evaluate/png_bytes.h"
#include "onnx/graph/proto.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;
using Schedules = std::vector<std::vector<int>>;

// The JSON of a run of two rounds.
json bench(const std::string& model, const Words& more = {}) {
  const Folder folder;
  Words words = {"bench", modelFile(model),       "--count", "2", "--threads", "1",
                 "--out", folder.at("bench.json")};
  words.insert(words.end(), more.begin(), more.end());
  const Ended ended = mpmProgram(words);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  return json::parse(bytesOf(folder.at("bench.json")));
}

TEST(Bench, PrintsTheFiguresInsteadOfTheTableWhereTheyGoToTheStandardOutput) {
  const Ended ended = mpmProgram({"bench", modelFile("segmenter_mask.onnx"), "--count", "2",
                                  "--threads", "1", "--precision", "fp32", "--json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(json::parse(ended.out)["threads"], 1);
  EXPECT_FALSE(std::filesystem::exists("-"));
}

std::set<std::string> keysOf(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

// Ours: newer OpenCVs have a configuration of their own for models that they read rightly.
Schedules schedulesOf(const json& report) {
  Schedules schedules;
  for (const json& config : report["configs"]) {
    if (config["name"] != "OpenCV's own layers") schedules.push_back(config["schedule"]);
  }
  return schedules;
}

TEST(Bench, FullTokensAndTheModelsOwnSchedule) {
  const json report = bench("segmenter_mask.onnx", {"--precision", "fp32"});
  EXPECT_EQ(keysOf(report),
            (std::set<std::string>{"model", "machine", "threads", "gemm_peak_gflops", "configs"}));
  EXPECT_EQ(report["model"], modelFile("segmenter_mask.onnx"));
  EXPECT_EQ(report["threads"], 1);
  EXPECT_EQ(schedulesOf(report), (Schedules{{}, {2, 5}}));
  const json &full = report["configs"][0], &merged = report["configs"][1];
  EXPECT_EQ(full["name"], "unmerged");
  EXPECT_EQ(full["ratio"], 1);
  EXPECT_EQ(full["rows"], std::vector<int>{49});
  EXPECT_EQ(merged["name"], "merge before 2,5");
  const std::vector<int> rows = merged["rows"];
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0], 49);
  EXPECT_LT(rows[1], rows[0]);
  EXPECT_LT(rows[2], rows[1]);
}

TEST(Bench, OnePrecisionIsComparedWithFloat32AllTheSame) {
  for (const Words& words :
       {Words{"--precision", "int8"}, Words{"--precision", "int8", "--precision", "fp32"}}) {
    const json report = bench("segmenter_mask.onnx", words);
    EXPECT_GT(report["configs"][0]["labels_as_fp32"], kInt8Labels);
  }
}

TEST(Bench, EveryConfigurationHasItsFigures) {
  constexpr double kPlaces = 48 * 64;
  const json report = bench("segmenter_mask.onnx");
  std::set<std::string> precisions;
  for (const json& config : report["configs"]) {
    precisions.insert(config["precision"].get<std::string>());
    EXPECT_EQ(keysOf(config),
              (std::set<std::string>{"name", "schedule", "precision", "device", "median_ms",
                                     "p95_ms", "ratio", "rows", "labels_as_fp32", "steps_ms"}));
    EXPECT_EQ(config["labels_as_fp32"].is_null(), config["precision"] == "fp32");
    if (config["precision"] == "int8") {
      const double places = config["labels_as_fp32"].get<double>() * kPlaces;
      EXPECT_NEAR(places, std::round(places), 0.01);  // no digit is lost
      EXPECT_GT(config["labels_as_fp32"], kInt8Labels);
    }
    EXPECT_EQ(config["device"], "cpu");
    EXPECT_GT(config["median_ms"], 0);
    EXPECT_GE(config["p95_ms"], config["median_ms"]);
    EXPECT_GT(config["ratio"], 0);
    const json& steps = config["steps_ms"];
    EXPECT_EQ(keysOf(steps), (std::set<std::string>{"patch_embed", "blocks", "merges", "restore",
                                                    "head", "rest"}));
    const double least = config["name"] == "OpenCV's own layers" ? -1 : 0;  // all are the rest
    for (const char* step : {"patch_embed", "blocks", "head"}) EXPECT_GT(steps[step], least);
    for (const json& ms : steps) EXPECT_GE(ms, 0);
  }
  EXPECT_TRUE(precisions.count("fp32") == 1 && precisions.count("int8") == 1);
}

TEST(Bench, SchedulesThatWereAskedForEachOnce) {
  const json report =
      bench("segmenter_mask.onnx", {"--precision", "fp32", "--merge-before", "3", "--merge-before",
                                    "none", "--merge-before", "5,2", "--merge-before", "2,5"});
  EXPECT_EQ(schedulesOf(report), (Schedules{{}, {3}, {2, 5}}));
  const Words none = {"--precision", "fp32", "--merge-before", "none"};
  EXPECT_EQ(schedulesOf(bench("segmenter_mask.onnx", none)), Schedules{{}});
}

std::set<std::string> precisions(const json& report) {
  std::set<std::string> all;
  for (const json& config : report["configs"]) all.insert(config["precision"]);
  return all;
}

TEST(Bench, AClassifierAndAModelOfAnySize) {
  EXPECT_EQ(schedulesOf(bench("timm_vit.onnx", {"--precision", "fp32"})), (Schedules{{}, {2}}));
  const json open = bench("hf_vit_open_size.onnx",
                          {"--precision", "fp32", "--merge-before", "1", "--input-size", "48x80"});
  EXPECT_EQ(open["configs"][0]["rows"], std::vector<int>{1 + 6 * 10});
}

// As Hugging Face's exporter writes them. It was refused as no image.
TEST(Bench, AModelWhoseChannelsAreOpen) {
  const Folder folder;
  ::onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(bytesOf(modelFile("segmenter_mask.onnx"))));
  auto* input = model.mutable_graph()->mutable_input(0)->mutable_type();
  input->mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_param("channels");
  const std::string path = folder.write("open.onnx", model.SerializeAsString());
  const Ended ended = mpmProgram({"bench", path, "--precision", "fp32", "--count", "1"});
  EXPECT_EQ(ended.status, 0) << ended.err;
}

TEST(Bench, OpenCvsOwnLayersWhereTheyAreRight) {
  const json report = bench("refused_cnn.onnx", {"--precision", "fp32"});
  ASSERT_EQ(report["configs"].size(), 2U);
  const json& opencv = report["configs"][1];
  EXPECT_EQ(opencv["name"], "OpenCV's own layers");
  EXPECT_EQ(opencv["rows"], json::array());
  EXPECT_FALSE(report["machine"].contains("opencv_layers"));
}

TEST(Bench, AModelThatCannotMergeHasPrecisionsWhereItRunsOnOurLayers) {
  const json report = bench("refused_swin.onnx", {"--precision", "fp32", "--precision", "int8"});
  EXPECT_EQ(precisions(report), (std::set<std::string>{"fp32", "int8"}));
}

TEST(Bench, RefusesAPrecisionThatItsLayersDoNotKnow) {
  const std::string path = modelFile("refused_cnn.onnx");
  expectRefusal(mpmProgram({"bench", path, "--precision", "int8"}), 1, "mpm",
                path + ": its layers compute in fp32 alone");
}

TEST(Bench, HeedsWhatATomlBesideTheModelSays) {
  const Folder folder;
  const std::string model = folder.write("vit.onnx", bytesOf(modelFile("segmenter_mask.onnx")));
  const auto rows = [&] {
    const std::string figures = folder.at("bench.json");
    const Ended ended = mpmProgram({"bench", model, "--count", "1", "--precision", "fp32",
                                    "--merge-before", "2,5", "--out", figures});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return json::parse(bytesOf(figures))["configs"][1]["rows"];
  };
  const json before = rows();
  folder.write("vit.toml", "mean = [0.1, 0.9, 0.4]\nstd = [0.02, 0.5, 0.1]\n");
  EXPECT_NE(rows(), before);
  folder.write("vit.toml", "mean = [0.1]\n");
  const Ended ended = mpmProgram({"bench", model});
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.err.find("vit.toml, line 1: "), std::string::npos) << ended.err;
}

TEST(Bench, AConvertedFileHasNoLayersOfOpenCvsOwn) {
  const Folder folder;
  const std::string converted = folder.at("converted.onnx"), figures = folder.at("bench.json");
  ASSERT_EQ(mpmProgram({"convert", modelFile("segmenter_mask.onnx"), "-o", converted}).status, 0);
  const Ended ended =
      mpmProgram({"bench", converted, "--count", "1", "--precision", "fp32", "--out", figures});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json report = json::parse(bytesOf(figures));
  EXPECT_EQ(schedulesOf(report), (Schedules{{}, {2, 5}}));
  EXPECT_EQ(report["machine"]["opencv_layers"], "cannot load it, since it is converted");
}

TEST(Bench, ATableForAPerson) {
  const Ended ended = mpmProgram(
      {"bench", modelFile("segmenter_mask.onnx"), "--count", "3", "--precision", "fp32"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  for (const char* part : {"segmenter_mask.onnx\n", "\nunmerged ", "\nmerge before 2,5 ",
                           "live rows\n", " 49 > ", "patch_embed", "3 rounds"}) {
    EXPECT_NE(ended.out.find(part), std::string::npos) << ended.out << "lacks: " << part;
  }
}

TEST(Bench, ImagesAtOnceAreMeasuredBesideOneAtATime) {
  const json report = bench("segmenter_mask.onnx", {"--precision", "fp32", "--batch", "3"});
  std::vector<std::string> names;
  for (const json& config : report["configs"]) {
    if (config["name"] != "OpenCV's own layers") names.push_back(config["name"]);
  }
  EXPECT_EQ(names, (Words{"unmerged", "merge before 2,5", "unmerged, 3 at once",
                          "merge before 2,5, 3 at once"}));
  EXPECT_EQ(report["configs"][3]["rows"], report["configs"][1]["rows"]);
}

TEST(Bench, WhatItRefuses) {
  const Folder folder;
  const std::string model = modelFile("segmenter_mask.onnx");
  const auto expectRefused = [&](Words words, int status, const std::string& part) {
    words.insert(words.begin(), "bench");
    expectMpmRefuses(words, status, part);
  };
  expectRefused({model, "--merge-before", "12"}, 2,
                "mpm: --merge-before 12: the encoder has 8 blocks, 0 to 7\n");
  expectRefused({model, "--merge-before", "x"}, 2, "--merge-before x: 'x' is not a block");
  expectRefused({model, "--precision", "int4"}, 2, "--precision int4 is not known");
  expectRefused({model, "--count", "0"}, 2, "--count");
  expectRefused({model, "--json", folder.at("bench.json")}, 2, "--json is a flag now, and --out");
  const std::string everyAlone = "mpm: --every only goes with --frames scene:...\n";
  expectRefused({model, "--every", "2"}, 2, everyAlone);
  expectRefused({model, "--every", "2", "--frames", folder.at("street")}, 2, everyAlone);
  for (const Words& others : {Words{"--batch", "2"}, Words{"--image", folder.at("none.png")}}) {
    expectRefused({model, "--frames", "scene:", others[0], others[1]}, 2,
                  "mpm: --batch and --image do not go with --frames\n");
  }
  expectRefused({model, "--threads", "0"}, 2, "--threads");
  expectRefused({model, "--batch", "0"}, 2, "--batch");
  expectRefused({modelFile("segmenter_static.onnx"), "--batch", "2"}, 1, " takes 1 at a time; ");
  expectRefused(
      {model, "--image", folder.at("none.png")}, 1,
      "mpm: cannot read the picture " + folder.at("none.png") + ": No such file or directory\n");
  expectRefused({model, "--image", folder.write("text.png", "no picture")}, 1,
                "text.png: it is broken, too large, or not a picture\n");
  expectRefused({model, "--out", folder.at("no/bench.json")}, 1, ": there is no folder ");
  expectRefused({model, "--out", folder.at("")}, 1, ", which is a folder\n");
  expectRefused({modelFile("refused_cnn.onnx"), "--merge-before", "2"}, 1,
                "refused_cnn.onnx: it cannot merge: it has no transformer block\n");
  const std::string tiny = folder.write("tiny.onnx", tinyModel());
  expectRefused({tiny}, 1, "tiny.onnx: the model's input x is [any x 2 x 3]; expected an image");
  const std::string two = folder.write("two.onnx", tinyModel({{"a", "b"}, {"y"}, {}}));
  expectRefused({two}, 1, "two.onnx: the model has 2 inputs; expected one, an image\n");
}

TEST(BenchFrames, ACamerasFramesWithAMemoryAndWithout) {
  const json report =
      bench("segmenter_mask.onnx", {"--frames", "scene:?seed=7&size=96x72", "--every", "60"});
  EXPECT_EQ(report["count"], 2);
  EXPECT_EQ(report["memory_fault"], "");
  std::vector<std::string> names;
  for (const json& way : report["ways"]) names.push_back(way["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"unmerged", "merge before 2,5",
                                             "memory, merge before 2,5", "memory, unmerged"}));
  EXPECT_EQ(report["ways"][0]["ratio"], 1);
  EXPECT_EQ(report["ways"][0]["agreement"], 1);
  EXPECT_EQ(report["ways"][0]["memory_bytes"], 0);
  EXPECT_TRUE(report["ways"][0]["mean_iou"].is_null());  // its classes are not the street's
  EXPECT_GT(report["ways"][3]["memory_bytes"], 10000);
  expectRefusal(mpmProgram({"bench", modelFile("segmenter_mask.onnx"), "--frames",
                            "scene:", "--merge-before", "2", "--merge-before", "3"}),
                2, "mpm", "--frames goes with one --merge-before");
}

TEST(BenchFrames, SeveralCamerasAndTheStreetsOfARange) {
  const json report =
      bench("segmenter_mask.onnx", {"--frames", "scene:?seed=7..8&size=96x72", "--frames",
                                    "scene:?size=64x64&seed=9", "--every", "60"});
  EXPECT_EQ(report["count"], 6);
  EXPECT_EQ(report["frames"], (json{"scene:?seed=7&size=96x72", "scene:?seed=8&size=96x72",
                                    "scene:?size=64x64&seed=9"}));
  for (const std::string seeds : {"8..7", "7..", "1..2000"}) {
    expectRefusal(
        mpmProgram({"bench", modelFile("segmenter_mask.onnx"), "--frames", "scene:?seed=" + seeds}),
        2, "mpm", "seed=" + seeds + " is not a range of seeds");
  }
}

TEST(BenchFrames, TellsAMemoryOverItsAge) {
  const Words words = {"bench",    modelFile("segmenter_mask.onnx"),
                       "--frames", "scene:?seed=7&size=96x72",
                       "--count",  "15",
                       "--every",  "0.1"};
  Words asJson = words;
  asJson.emplace_back("--json");
  const Ended told = mpmProgram(asJson);
  ASSERT_EQ(told.status, 0) << told.err;
  const json memory = json::parse(told.out)["ways"][2];
  int frames = 0;
  for (const json& age : memory["ages"]) frames += age["frames"].get<int>();
  EXPECT_EQ(frames, 15);
  EXPECT_EQ(memory["ages"][0]["from"], 0);
  EXPECT_GT(memory["ages"][0]["agreement"], 0);
  const json full = json::parse(told.out)["ways"][0];
  EXPECT_GT(full["flicker"], 0);
  EXPECT_LT(full["flicker_steadied"], full["flicker"]);
  EXPECT_TRUE(memory["flicker_steadied"].is_null()) << "it is steady already";
  EXPECT_NE(mpmProgram(words).out.find("frames since a full one"), std::string::npos);
}

// A memory's first and last hundred of timed frames, which two hundred and one frames have.
TEST(BenchFrames, TellsWhetherAMemoryDrifts) {
  Words words = {"bench",    modelFile("segmenter_mask.onnx"),
                 "--frames", "scene:?seed=7&size=96x72",
                 "--every",  "0.01",
                 "--json",   "--count"};
  const auto measured = [&](const char* count) {
    Words all = words;
    all.emplace_back(count);
    return json::parse(mpmProgram(all).out)["ways"];
  };
  for (const json& way : measured("200")) EXPECT_TRUE(way["first_hundred"].is_null());
  const json ways = measured("201");
  EXPECT_TRUE(ways[1]["last_hundred"].is_null()) << "it has no memory";
  for (const int way : {2, 3}) {
    const double all = ways[way]["agreement"].get<double>() * 201;
    double hundreds = 0;
    for (const char* part : {"first_hundred", "last_hundred"}) {
      EXPECT_GT(ways[way][part]["ratio"], 0);
      hundreds += ways[way][part]["agreement"].get<double>() * 100;
    }
    EXPECT_LE(hundreds, all + 1e-3);
    EXPECT_GE(hundreds + 1, all - 1e-3) << "the frame between them has the rest";
  }
}

TEST(BenchFrames, LabelledFramesOfAFolder) {
  const Folder folder;
  Words draw = {
      besideMpm("mpm-scene"), "--hours", "12..12.01", "--count", "2", "--size", "96x72", "--out",
      folder.at("street")};
  ASSERT_EQ(runProgram(draw).status, 0);
  const Ended ended =
      mpmProgram({"bench", modelFile("segmenter_mask.onnx"), "--frames", folder.at("street")});
  ASSERT_EQ(ended.status, 1);  // it has other classes than the labels
  EXPECT_NE(ended.err.find("labels"), std::string::npos) << ended.err;
}

TEST(BenchFrames, LabelledFramesWithAPalette) {
  const Folder folder;
  PngPlan plan;
  plan.palette = {0x804080, 0x46c8fa, 0x2040a0, 0x60a020, 0xf0f0f0};
  for (int y = 0; y < 72; ++y) {
    plan.rows.emplace_back();
    for (int x = 0; x < 96; ++x) plan.rows.back().push_back((x / 20 + y / 20) % 5);
  }
  for (const char* each : {"images", "labels"}) {
    std::filesystem::create_directories(folder.at(std::string("street/") + each));
    for (const char* name : {"/a.png", "/b.png"}) {
      folder.write(std::string("street/") + each + name, pngBytes(plan));
    }
  }
  const json report = bench("segmenter_mask.onnx", {"--frames", folder.at("street")});
  EXPECT_TRUE(report["ways"][0]["mean_iou"].is_number()) << report;
}

// The truth of a frame is that of its own name, also where a file written for it would be called
// otherwise.
TEST(BenchFrames, LabelsOfNamesWithBlanksAndSigns) {
  const Folder folder;
  for (const char* each : {"images", "labels"})
    std::filesystem::create_directories(folder.at(std::string("street/") + each));
  const auto put = [&](const std::string& name, int number) {
    const std::string file = name + ".png";
    cv::imwrite(folder.at("street/images/" + file), cv::Mat(48, 64, CV_8UC3, cv::Scalar(9, 9, 9)));
    cv::imwrite(folder.at("street/labels/" + file), cv::Mat(48, 64, CV_8U, cv::Scalar(number)));
  };
  for (const char* name : {"a b", "a&b", "a:b", "a?b", "a*b"}) put(name, 255);
  const Words words = {"bench", modelFile("segmenter_mask.onnx"), "--frames", folder.at("street")};
  const Ended ended = mpmProgram(words);
  EXPECT_EQ(ended.status, 0) << ended.err;
  put("a_b", 9);  // of no class: the model has 5
  put("a b", 255);
  std::filesystem::remove(folder.at("street/images/a_b.png"));
  EXPECT_EQ(mpmProgram(words).status, 0) << "the truth of another name";
  cv::imwrite(folder.at("street/images/a b.jpg"), cv::Mat(48, 64, CV_8UC3, cv::Scalar(9, 9, 9)));
  expectMpmRefuses(words, 1, "two pictures are called a b");
}

}  // namespace
}  // namespace mpm::test
