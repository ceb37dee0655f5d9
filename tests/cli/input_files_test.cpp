// SPDX-License-Identifier: Apache-2.0
// What every command keeps to: an output is none of the inputs, by whatever name.
#include <gtest/gtest.h>

#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/made_models.h"
#include "cli/mpm.h"
#include "cli/npy_files.h"

namespace mpm::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Names = std::set<std::string>;

// Files whose bytes may not change, and commands that would write over them.
class Inputs : public testing::Test {
 protected:
  Inputs() {
    fs::copy_file(modelFile("segmenter_mask.onnx"), model_);
    cv::Mat picture(64, 96, CV_8UC3, cv::Scalar(60, 90, 70));
    picture.colRange(40, 96).setTo(cv::Scalar(200, 120, 40));
    fs::create_directory(folder_.at("photos"));
    for (const char* name : {"photos/a.png", "photos/b.png"})
      cv::imwrite(folder_.at(name), picture);
    fs::create_symlink(model_, folder_.at("link"));
    fs::create_hard_link(model_, folder_.at("twin"));
  }

  void expectRefused(const Words& words, const std::string& output) const {
    const std::string model = bytesOf(model_), picture = bytesOf(folder_.at("photos/a.png"));
    const Names before = folder_.content();
    expectMpmRefuses(words, 2,
                     "cannot write " + output + ", which this command reads; name another place\n");
    EXPECT_EQ(bytesOf(model_), model);
    EXPECT_EQ(bytesOf(folder_.at("photos/a.png")), picture);
    EXPECT_EQ(folder_.content(), before);
  }

  Folder folder_;
  const std::string model_ = folder_.at("m.onnx"), photos_ = folder_.at("photos");
};

TEST_F(Inputs, OfBenchAreNotOverwritten) {
  for (const std::string& out :
       {model_, folder_.at("./m.onnx"), folder_.at("link"), folder_.at("twin")})
    expectRefused({"bench", model_, "--out", out}, out);
  const std::string picture = folder_.at("photos/a.png");
  expectRefused({"bench", model_, "--image", picture, "--out", picture}, picture);
  expectRefused({"bench", model_, "--frames", photos_, "--out", picture}, picture);
}

TEST_F(Inputs, OfTuneAreNotOverwritten) {
  fs::create_hard_link(model_, folder_.at("photos/tune.json"));
  expectRefused({"tune", model_, folder_.at("photos/a.png"), "--out", photos_},
                folder_.at("photos/tune.json"));
}

TEST_F(Inputs, WeightsAndFactsOfAModelAreItsOwn) {
  fs::copy_file(modelFile("timm_vit_external.onnx"), folder_.at("big.onnx"));
  fs::copy_file(modelFile("timm_vit_external.onnx.data"),
                folder_.at("timm_vit_external.onnx.data"));
  folder_.write("big.toml", "");
  const std::string weights = folder_.at("timm_vit_external.onnx.data");
  const std::string before = bytesOf(weights);
  expectRefused({"convert", folder_.at("big.onnx"), "-o", weights}, weights);
  expectRefused({"convert", model_, "-o", folder_.at("link")}, folder_.at("link"));
  expectRefused({"convert", folder_.at("big.onnx"), "-o", folder_.at("big.toml")},
                folder_.at("big.toml"));
  EXPECT_EQ(bytesOf(weights), before);
}

TEST_F(Inputs, OfRunAreNotOverwritten) {
  const std::vector<float> values(6, -1);
  fs::create_directory(folder_.at("out"));
  const std::string model = folder_.write("add.onnx", tinyModel()), out = folder_.at("out/y.npy");
  writeNpyFile(out, {1, 2, 3}, values.data());
  fs::create_symlink("out/y.npy", folder_.at("x.npy"));
  const std::string before = bytesOf(out);
  expectRefused({"run", model, "--input", folder_.at("x.npy"), "--out", folder_.at("out")}, out);
  EXPECT_EQ(bytesOf(out), before);
}

TEST_F(Inputs, OfSegmentAreNotOverwritten) {
  ASSERT_EQ(mpmProgram({"segment", model_, photos_, "-o", photos_}).status, 0);
  const std::string overlay = bytesOf(folder_.at("photos/a_overlay.jpg"));
  const Ended again = mpmProgram({"segment", model_, photos_, "-o", photos_});
  expectRefusal(again, 2, "mpm", "which this command reads; name another place");
  EXPECT_EQ(bytesOf(folder_.at("photos/a_overlay.jpg")), overlay);
}

TEST_F(Inputs, OfTeachAreNotOverwritten) {
  fs::create_directory(folder_.at("labels"));
  cv::imwrite(folder_.at("labels/a.png"), cv::Mat(64, 96, CV_8U, cv::Scalar(1)));
  for (const std::string& out :
       {folder_.at("twin"), folder_.at("labels/a.png"), folder_.at("photos/b.png")}) {
    expectRefused({"teach", "--backbone", model_, "--frames", photos_, "--labels",
                   folder_.at("labels"), "--classes", "a,b", "-o", out},
                  out);
  }
}

TEST_F(Inputs, OfEvalAndDemoAreNotOverwritten) {
  for (const char* name : {"images", "labels", "out"}) fs::create_directory(folder_.at(name));
  fs::copy_file(folder_.at("photos/a.png"), folder_.at("images/a.png"));
  cv::imwrite(folder_.at("labels/a.png"), cv::Mat(64, 96, CV_8U, cv::Scalar(1)));
  for (const char* name : {"summary.json", "journal.jsonl", "demo.json"}) {
    const std::string out = folder_.at(std::string("out/") + name);
    fs::create_hard_link(model_, out);
    if (std::string(name) == "demo.json") {
      const Ended ended =
          runProgram({besideMpm("mpm-demo"), "--model", model_, "--out", folder_.at("out")});
      expectRefusal(ended, 2, "mpm-demo", out + ", which this command reads");
    } else {
      expectRefused({"eval", model_, folder_.at("."), "--format", "folder", "--restart", "--out",
                     folder_.at("out")},
                    out);
    }
    fs::remove(out);
  }
}

// What /dev/stdout leads to may have a name, and is written as it is nevertheless.
TEST(Outputs, TheStandardOutputIsWrittenAsItIs) {
  const Folder folder;
  const Ended ended = runProgram(
      {"/bin/sh", "-c",
       "\"$MPM\" bench \"$MODEL\" --count 1 --precision fp32 --threads 1 "
       "--out /dev/stdout >\"$OUT\""},
      {{"MPM", mpmPath()}, {"MODEL", modelFile("segmenter_mask.onnx")}, {"OUT", folder.at("all")}});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(folder.content(), Names{"all"});
  const std::string all = bytesOf(folder.at("all"));
  EXPECT_NE(all.find("unmerged"), std::string::npos) << all;
  EXPECT_NE(all.find("\"configs\""), std::string::npos) << all;
}

}  // namespace
}  // namespace mpm::test
