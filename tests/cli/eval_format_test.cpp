// SPDX-License-Identifier: Apache-2.0
// mpm eval on small data sets in exactly the layouts of the large ones, with the settings that
// figures are published with, against what mpm segment writes.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/eval_data.h"
#include "cli/made_models.h"

namespace mpm::test {
namespace {

using nlohmann::json;

// A data set in a layout, measured as the format has it by a model of colours.
void checkFormat(const std::string& format, const EvalData& data, int side, int shortSide) {
  const Folder folder;
  const std::vector<std::string> names = {"one", "two"};
  const std::vector<cv::Mat> truths = putEvalData(folder, data, names, {48, 32});
  if (format == "pascal-context") {
    std::filesystem::create_directories(folder.at("ImageSets/SegmentationContext"));
    folder.write("ImageSets/SegmentationContext/val.txt", "one\ntwo\n");
  }
  const std::string model = folder.write("colours.onnx", colourModel(data.classes, side));
  const Ended ended = mpmProgram({"eval", model, folder.at(""), "--format", format, "--json"});
  const json summary = evalSummary(ended);
  EXPECT_NE(ended.err.find("runs without merging"), std::string::npos) << ended.err;
  EXPECT_EQ(ended.err.find("published"), std::string::npos) << ended.err;
  const std::string stride = std::to_string(side - 32);
  EXPECT_EQ(summary["options"]["short side"], std::to_string(shortSide));
  EXPECT_EQ(summary["options"]["stride"], stride);
  EXPECT_EQ(summary["pictures"], 2);
  ASSERT_EQ(summary["schedules"].size(), 1U);
  const json& full = summary["schedules"][0];
  const std::vector<Labelled> plain =
      segmented(folder, data, names, truths, model,
                {"--fit", "slide", "--short-side", std::to_string(shortSide), "--stride", stride});
  EXPECT_NEAR(full["miou"], plainMeanIou(plain, data.classes), 1e-12);
  EXPECT_GT(full["pixel_accuracy"], 0.3);
  EXPECT_LT(full["pixel_accuracy"], 0.97);
  EXPECT_EQ(full["classes"].size(), static_cast<std::size_t>(data.classes));
}

TEST(EvalFormat, Ade20kAsItIsPublished) {
  checkFormat("ade20k",
              {"images/validation/*.jpg",
               "annotations/validation/*.png",
               {0, 1, 7, 36, 150},
               [](int number) { return number - 1; },
               150},
              512, 512);
}

TEST(EvalFormat, CityscapesAsItIsPublished) {
  checkFormat("cityscapes",
              {"leftImg8bit/val/ulm/*_leftImg8bit.png",
               "gtFine/val/ulm/*_gtFine_labelIds.png",
               {0, 4, 7, 8, 11},
               [](int number) { return number == 11  ? 2
                                       : number >= 7 ? number - 7
                                                     : -1; },
               19},
              768, 1024);
}

TEST(EvalFormat, PascalContextAsItIsPublished) {
  EvalData data = {"JPEGImages/*.jpg",
                   "SegmentationClassContext/*.png",
                   {0, 1, 30, 59},
                   [](int number) { return number; },
                   60};
  checkFormat("pascal-context", data, 480, 520);
  data.meaning = [](int number) { return number - 1; };
  data.classes = 59;
  checkFormat("pascal-context", data, 480, 520);
}

TEST(EvalFormat, WindowsOfAnotherSizeThanPublished) {
  const Folder folder;
  const EvalData data = {"images/validation/*.jpg",
                         "annotations/validation/*.png",
                         {1, 2},
                         [](int number) { return number - 1; },
                         150};
  putEvalData(folder, data, {"one"}, {48, 32});
  const std::string model = folder.write("colours.onnx", colourModel(150, 64));
  const Ended ended = mpmProgram(
      {"eval", model, folder.at(""), "--format", "ade20k", "--json", "--short-side", "64"});
  EXPECT_EQ(evalSummary(ended)["options"]["stride"], "64");
  EXPECT_NE(ended.err.find("windows of 512 x 512; --input-size 512x512"), std::string::npos)
      << ended.err;
}

}  // namespace
}  // namespace mpm::test
