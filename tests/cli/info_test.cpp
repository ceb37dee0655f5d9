// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/made_models.h"
#include "cli/mpm.h"
#include "in_project.h"

namespace mpm::test {
namespace {

void expectLine(const std::string& text, const std::string& line) {
  EXPECT_NE(("\n" + text).find("\n" + line + "\n"), std::string::npos) << text << "lacks: " << line;
}

TEST(Info, AModelThatMerges) {
  const Ended info = mpmProgram({"info", modelFile("segmenter_mask.onnx")});
  EXPECT_EQ(info.status, 0);
  EXPECT_EQ(info.err, "");
  expectLine(info.out, "inputs   image  [any x 3 x 48 x 64]");
  expectLine(info.out, "encoder  8 blocks of 16 features, 2 heads, GELU erf");
  expectLine(info.out, "tokens   1 prefix + 48 patches (8 x 6) of 8 x 8 pixels");
  expectLine(info.out, "merges   before blocks 2 and 5");
}

TEST(Info, AModelThatMergesAsJson) {
  const Ended info = mpmProgram({"info", modelFile("segmenter_mask.onnx"), "--json"});
  ASSERT_EQ(info.status, 0) << info.err;
  const auto told = nlohmann::json::parse(info.out);
  EXPECT_EQ(told.at("mergeable"), true);
  EXPECT_EQ(told.at("blocks"), 8);
  EXPECT_EQ(told.at("dim"), 16);
  EXPECT_EQ(told.at("heads"), 2);
  EXPECT_EQ(told.at("special"), 1);
  EXPECT_EQ(told.at("patch"), 8);
  EXPECT_EQ(told.at("grid"), nlohmann::json({{"width", 8}, {"height", 6}}));
  EXPECT_EQ(told.at("input"), nlohmann::json({{"width", 64}, {"height", 48}}));
  EXPECT_EQ(told.at("gelu"), "erf");
  EXPECT_EQ(told.at("schedule"), nlohmann::json({2, 5}));
  EXPECT_EQ(told.at("inputs").at(0),
            nlohmann::json({{"name", "image"}, {"shape", {nullptr, 3, 48, 64}}}));
  EXPECT_EQ(told.at("outputs").at(0).at("name"), "masks");
  EXPECT_FALSE(told.contains("reason"));
  EXPECT_EQ(told.at("layers").at("mpm.TransformerBlock"), 10);
}

TEST(Info, SaysHowLongMergesKeepToWindows) {
  const Ended info = mpmProgram({"info", modelFile("hf_sam.onnx")});
  EXPECT_EQ(info.status, 0) << info.err;
  expectLine(info.out, "merges   before block 2");
  expectLine(info.out,
             "         up to block 2, the last within windows, they pair only within windows");
  const Ended asJson = mpmProgram({"info", "--json", modelFile("hf_sam.onnx")});
  EXPECT_EQ(nlohmann::json::parse(asJson.out).at("last_in_windows"), 2);
}

TEST(Info, AModelAtAnotherInputSize) {
  const Ended info = mpmProgram({"info", modelFile("hf_dinov3.onnx"), "--input-size", "96x80"});
  EXPECT_EQ(info.status, 0);
  EXPECT_EQ(info.err, "");
  expectLine(info.out, "tokens   3 prefix + 120 patches (12 x 10) of 8 x 8 pixels");
  EXPECT_NE(info.out.find("3 x 80 x 96]"), std::string::npos) << info.out;
  const Ended street =
      mpmProgram({"info", inProject("models/street.onnx"), "--input-size", "768x512"});
  EXPECT_NE(street.out.find("[1 x 12 x any x any]"), std::string::npos) << street.out;
}

TEST(Info, WhatATomlBesideTheModelSays) {
  const Folder folder;
  std::filesystem::copy_file(modelFile("segmenter_mask.onnx"), folder.at("a.onnx"));
  folder.write("a.toml", "mean = [0.485, 0.456, 0.406]\n");
  const Ended info = mpmProgram({"info", folder.at("a.onnx"), "--json"});
  EXPECT_EQ(nlohmann::json::parse(info.out).at("metadata").at("mpm.mean"), "0.485,0.456,0.406");
}

TEST(Info, ASizeThatTheFileLeavesOpen) {
  const std::string path = modelFile("hf_vit_open_size.onnx");
  const Ended info = mpmProgram({"info", path});
  EXPECT_EQ(info.status, 0) << info.err;
  expectLine(info.out, "inputs   pixel_values  [any x 3 x 64 x 64]");
  expectLine(info.out, "         the file leaves its size open: --input-size gives another one");
  const auto told = nlohmann::json::parse(mpmProgram({"info", "--json", path}).out);
  EXPECT_EQ(told.at("input_open"), true);
}

TEST(Info, PatchesThatOverlapAreMadeByConvolutions) {
  const Ended info = mpmProgram({"info", modelFile("timm_overlapping.onnx")});
  EXPECT_EQ(info.status, 0);
  EXPECT_EQ(info.err, "");
  expectLine(info.out, "tokens   1 prefix + 165 patches (15 x 11), made by convolutions");
  expectLine(info.out, "head     linear, 5 outputs");
}

TEST(Info, AModelThatCannotMerge) {
  const Folder folder;
  const std::string path = folder.write("tiny.onnx", tinyModel());
  const Ended info = mpmProgram({"info", path});
  EXPECT_EQ(info.status, 0);
  EXPECT_EQ(info.err, "");
  expectLine(info.out, "inputs   x  [any x 2 x 3]");
  EXPECT_NE(info.out.find("merges   no: "), std::string::npos);
  const auto told = nlohmann::json::parse(mpmProgram({"info", "--json", path}).out);
  EXPECT_EQ(told.at("mergeable"), false);
  EXPECT_NE(told.at("reason"), "");
  EXPECT_FALSE(told.contains("blocks"));
}

TEST(Info, MetadataIsOneLineEach) {
  const Folder folder;
  TinyModel model;
  model.metadata = {{"mpm.classes", "road\nsky\nbridge"},
                    {"mpm.mean", "0.5,0.5,0.5"},
                    {"mpm.licence", std::string(100, 'a')},
                    {"mpm.odd", "\x1b[31m"},
                    {"other.tool", "seen by programs"}};
  const std::string path = folder.write("tiny.onnx", tinyModel(model));
  const Ended info = mpmProgram({"info", path});
  expectLine(info.out, "mpm.classes  3: road, sky, bridge");
  expectLine(info.out, "mpm.mean     0.5,0.5,0.5");
  expectLine(info.out, "mpm.licence  " + std::string(67, 'a') + "...");
  expectLine(info.out, "mpm.odd       [31m");
  EXPECT_EQ(info.out.find("other.tool"), std::string::npos);
  const auto told = nlohmann::json::parse(mpmProgram({"info", "--json", path}).out);
  EXPECT_EQ(told.at("metadata").at("mpm.classes"), "road\nsky\nbridge");
  EXPECT_EQ(told.at("metadata").at("other.tool"), "seen by programs");
}

TEST(Info, NamesThatAreNoUtf8) {
  const Folder folder;
  TinyModel model;
  model.metadata = {{"mpm.licence", "\xff\xfe"}};
  const std::string path = folder.write("tiny.onnx", tinyModel(model));
  EXPECT_EQ(mpmProgram({"info", path}).status, 0);
  const Ended told = mpmProgram({"info", "--json", path});
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_TRUE(nlohmann::json::accept(told.out));
}

}  // namespace
}  // namespace mpm::test
