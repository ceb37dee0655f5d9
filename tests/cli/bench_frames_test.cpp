// SPDX-License-Identifier: Apache-2.0
// mpm bench --frames: a camera's frames with a memory and without, and frames with labels.
#include <gtest/gtest.h>

#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "cli/bench_report.h"
#include "cli/mpm.h"
#include "evaluate/png_bytes.h"

namespace mpm::test {
namespace {

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
