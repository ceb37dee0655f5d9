// SPDX-License-Identifier: Apache-2.0
// mpm-demo: what it shows, and what it refuses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/mpm.h"

namespace mpm::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Ended demo(const Folder& folder, const Words& more,
           const std::string& model = "segmenter_mask.onnx") {
  Words words = {besideMpm("mpm-demo"), "--model", modelFile(model), "--count", "4", "--out",
                 folder.at("out")};
  words.insert(words.end(), more.begin(), more.end());
  return runProgram(words);
}

TEST(Demo, ATablePicturesAndEveryFrame) {
  const Folder folder;
  const Ended ended = demo(folder, {});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  for (const std::string& part : Words{"day ", "night ", "agreement", folder.at("out")}) {
    EXPECT_NE(ended.out.find(part), std::string::npos) << part << " in\n" << ended.out;
  }
  EXPECT_EQ(folder.content(),
            (std::set<std::string>{"out", "out/demo.json", "out/midnight.png", "out/noon.png"}));
  for (const std::string& name : Words{"midnight", "noon"}) {
    EXPECT_GT(cv::imread(folder.at("out/" + name + ".png")).cols, 1000) << name;
  }
}

TEST(Demo, FramesAreThoseOfADay) {
  const Folder folder;
  const Ended ended = demo(folder, {"--json", "--merge-before", "1"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, bytesOf(folder.at("out/demo.json")));
  const json told = json::parse(ended.out);
  EXPECT_EQ(told["schedule"], json({1}));
  ASSERT_EQ(told["frames"].size(), 4U);
  for (int i = 0; i < 4; ++i) {
    const json& frame = told["frames"][i];
    EXPECT_EQ(frame["hour"], 6.0 * i);
    ASSERT_EQ(frame["rows"].size(), 2U);
    EXPECT_EQ(frame["rows"][0], 49);
    EXPECT_LT(frame["rows"][1], 49);
    EXPECT_GT(frame["agreement"], 0);
    EXPECT_LE(frame["agreement"], 1);
  }
  EXPECT_EQ(told["frames"][0]["light"], "night");
  EXPECT_EQ(told["frames"][2]["light"], "day");
}

TEST(Demo, TheEmbeddedModelKnowsTheStreetByDayAndByNight) {
  const Folder folder;
  const Ended ended =
      runProgram({besideMpm("mpm-demo"), "--count", "6", "--json", "--out", folder.at("out")});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json told = json::parse(ended.out);
  for (const char* light : {"day", "night"}) {
    EXPECT_GT(told["lights"][light]["miou_unmerged"], 0.6) << light;
    EXPECT_GT(told["lights"][light]["miou_merged"], 0.6) << light;
  }
  EXPECT_FALSE(told["frames"].empty());
  for (const json& frame : told["frames"]) {
    EXPECT_LT(frame["rows"][2], 800) << frame;
    EXPECT_GT(frame["agreement"], 0.95) << frame;
  }
}

TEST(Demo, WhatItRefuses) {
  const Folder folder;
  const auto expectRefused = [&](const Ended& ended, int status, const std::string& part) {
    expectRefusal(ended, status, "mpm-demo", part);
    EXPECT_FALSE(folder.content().contains("out"));
  };
  expectRefused(demo(folder, {}, "refused_cnn.onnx"), 1, "it cannot merge: ");
  expectRefused(demo(folder, {}, "timm_vit.onnx"), 1, "not a segmentation model");
  expectRefused(demo(folder, {"--merge-before", "none"}), 2, "unmerged labels are shown");
  const auto demoOf = [&](const std::string& frames) {
    return runProgram({besideMpm("mpm-demo"), "--count", frames, "--out", folder.at("out")});
  };
  expectRefused(demoOf("1"), 2, "--count: Value 1 not in range");
  expectRefused(demoOf("5"), 2, "--count 5 is odd");
}

}  // namespace
}  // namespace mpm::test
