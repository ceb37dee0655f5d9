// SPDX-License-Identifier: Apache-2.0
// mpm eval: what it refuses before the first picture, and which pictures it leaves out.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "cli/eval_data.h"
#include "cli/made_models.h"

namespace mpm::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class EvalRefusal : public testing::Test {
 protected:
  EvalRefusal() { putEvalData(folder_, fiveClasses(), eightNames(), {40, 30}); }

  Ended eval(const Words& more, const std::string& format = "folder",
             const std::string& model = "segmenter_mask.onnx") const {
    Words words = {"eval", modelFile(model), folder_.at(""), "--format", format};
    words.insert(words.end(), more.begin(), more.end());
    return mpmProgram(words);
  }

  void expectRefused(const Ended& ended, int status, const std::string& part) const {
    expectRefusal(ended, status, "mpm", part);
    EXPECT_FALSE(folder_.content().contains("out"));
  }

  Folder folder_;
  const std::string out_ = folder_.at("out");
};

TEST_F(EvalRefusal, WordsThatMakeNoSense) {
  expectRefused(mpmProgram({"eval"}), 2, "MODEL is required");
  expectRefused(mpmProgram({"eval", "a.onnx"}), 2, "DATASET is required");
  expectRefused(mpmProgram({"eval", "a.onnx", "b"}), 2, "--format is required");
  expectRefused(eval({}, "coco"), 2,
                "--format coco is not known; use ade20k, cityscapes, pascal-context or folder");
  expectRefused(eval({}, "sequence"), 2, "--format sequence is mpm bench --frames now");
  expectRefused(eval({"--merge-before", "2,x"}), 2, "'x' is not a block");
  expectRefused(eval({"--merge-before", "2,5", "--merge-before", "5,2"}), 2, "is given twice");
  expectRefused(eval({"--merge-before", "8"}), 2, "--merge-before 8: ");
}

TEST_F(EvalRefusal, OptionsThatDoNotFitTheFormat) {
  expectRefused(eval({"--fit", "crop"}), 2, "--fit crop is not known");
  expectRefused(eval({"--stride", "9"}), 2, "only go with --fit slide");
  expectRefused(eval({"--fit", "slide", "--stride", "99"}), 2, "would leave gaps");
  expectRefused(eval({"--classes", "59"}), 2, "only goes with --format pascal-context");
  expectRefused(eval({"--classes", "58"}, "pascal-context"), 2, "Pascal Context has 59, or 60");
  expectRefused(eval({"--ignore", "0"}, "ade20k"), 2, "only go with --format folder");
  expectRefused(eval({"--count", "0"}), 2, "--count");
  expectRefused(eval({"--restart"}), 2, "add --out DIR");
}

TEST_F(EvalRefusal, DataThatDoNotFit) {
  expectRefused(eval({"--out", out_}, "ade20k"), 1, "cannot read the folder ");
  expectRefused(mpmProgram({"eval", modelFile("segmenter_mask.onnx"), folder_.at("none"),
                            "--format", "folder"}),
                1, "cannot read the folder ");
  std::filesystem::create_directories(folder_.at("annotations/validation"));
  std::filesystem::copy(folder_.at("images"), folder_.at("images/validation"));
  expectRefused(eval({"--out", out_}, "ade20k"), 1, "there is no photo with its label in ");
  std::filesystem::remove(folder_.at("annotations/validation"));
  std::filesystem::copy(folder_.at("labels"), folder_.at("annotations/validation"));
  expectRefused(
      eval({"--out", out_}, "ade20k"), 1,
      "segmenter_mask.onnx: the model has 5 classes and ADE20K has 150; the numbers must match");
  folder_.write("classes.txt", "one\ntwo\n");
  expectRefused(eval({"--out", out_}), 1, "has 2; the numbers must match");
}

TEST_F(EvalRefusal, AModelThatCannotMergeOrSegment) {
  expectRefused(eval({"--out", out_, "--merge-before", "2"}, "folder", "refused_cnn.onnx"), 1,
                "it cannot merge: ");
  expectRefused(eval({"--out", out_}, "folder", "timm_vit.onnx"), 1, "not a segmentation model");
  expectRefused(eval({"--out", out_}, "folder", "missing.onnx"), 1, "missing.onnx");
}

TEST_F(EvalRefusal, ResultsOfOtherOptions) {
  ASSERT_EQ(eval({"--out", out_}).status, 0);
  const std::string journal = bytesOf(out_ + "/journal.jsonl");
  expectRefusal(eval({"--out", out_, "--reduce-zero-label"}), 1, "mpm",
                "it was begun differently, zero label kept and reduced; --restart drops it");
  expectRefusal(eval({"--out", out_, "--merge-before", "none"}), 1, "mpm",
                "schedules none; 2,5 and none; --restart");
  expectRefusal(eval({"--out", out_}, "folder", "segmenter_linear.onnx"), 1, "mpm",
                "journal.jsonl");
  EXPECT_EQ(bytesOf(out_ + "/journal.jsonl"), journal);
  EXPECT_EQ(eval({"--out", out_, "--merge-before", "none", "--restart"}).status, 0);
  EXPECT_NE(bytesOf(out_ + "/journal.jsonl"), journal);
}

TEST_F(EvalRefusal, PicturesThatAreLeftOut) {
  namespace fs = std::filesystem;
  fs::remove(folder_.at("labels/a.png"));
  fs::remove(folder_.at("labels/b.png"));
  folder_.write("images/c.png", "no picture");
  folder_.write("labels/d.png", "no picture");
  cv::imwrite(folder_.at("labels/e.png"), cv::Mat(30, 41, CV_8U, cv::Scalar(0)));
  cv::imwrite(folder_.at("labels/f.png"), cv::Mat(30, 40, CV_8U, cv::Scalar(5)));
  cv::imwrite(folder_.at("labels/lonely.png"), cv::Mat(30, 40, CV_8U, cv::Scalar(1)));
  const Ended ended = eval({"--json", "--out", out_});
  EXPECT_EQ(ended.status, 1);
  const json summary = json::parse(ended.out);
  EXPECT_EQ(summary["pictures"], 2);
  ASSERT_EQ(summary["skipped"].size(), 4U);
  EXPECT_EQ(summary["skipped"][1]["kind"], "unreadable label");
  for (const std::string& part :
       {"2 photos have no labels yet and do not count, such as " + folder_.at("images/a.png"),
        std::string("4 of 6 pictures were left out: unreadable photo 1 ("),
        std::string("unreadable label 1 ("),
        std::string("other size 1 (") + folder_.at("labels/e.png"),
        std::string("number outside the classes 1 ("),
        std::string("1 label pictures have no photo")})
    EXPECT_NE(ended.err.find(part), std::string::npos) << ended.err << "lacks: " << part;
  // What can be mended is mended by the same command.
  for (const char* name : {"d", "e", "f"})
    cv::imwrite(folder_.at("labels/" + std::string(name) + ".png"),
                cv::Mat(30, 40, CV_8U, cv::Scalar(1)));
  const json mended = json::parse(eval({"--json", "--out", out_}).out);
  EXPECT_EQ(mended["pictures"], 5);
  EXPECT_EQ(mended["skipped"].size(), 1U);
}

// As a folder of mpm teach, or of the app's, of which some frames are painted.
TEST_F(EvalRefusal, FramesThatNobodyPaintedYetAreNoFault) {
  for (const std::string& name : eightNames()) {
    if (name != "c" && name != "d") std::filesystem::remove(folder_.at("labels/" + name + ".png"));
  }
  const Ended ended = eval({"--json", "--count", "2"});
  EXPECT_EQ(evalSummary(ended)["pictures"], 2) << "of those that are painted";
  EXPECT_NE(ended.err.find("6 photos have no labels yet and do not count, "), std::string::npos)
      << ended.err;
  // In a public data set they are: ade20k's figures are those of all its pictures.
  for (const char* part : {"images", "annotations"})
    std::filesystem::create_directories(folder_.at(part + std::string("/validation")));
  const EvalData data = {"images/validation/*.jpg",
                         "annotations/validation/*.png",
                         {1, 2},
                         [](int number) { return number - 1; },
                         150};
  putEvalData(folder_, data, {"one", "two"}, {48, 32});
  std::filesystem::remove(folder_.at("annotations/validation/two.png"));
  const std::string model = folder_.write("colours.onnx", colourModel(150, 64));
  const Ended published =
      mpmProgram({"eval", model, folder_.at(""), "--format", "ade20k", "--short-side", "64"});
  EXPECT_EQ(published.status, 1);
  EXPECT_NE(published.err.find("1 of 2 pictures were left out: missing label 1 ("),
            std::string::npos)
      << published.err;
}

TEST_F(EvalRefusal, EveryPictureLeftOut) {
  for (const std::string& name : eightNames())
    folder_.write("images/" + name + ".png", "no picture");
  const Ended ended = eval({});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(ended.err.find("8 of 8 pictures were left out: unreadable photo 8 ("),
            std::string::npos);
  EXPECT_NE(ended.err.find("; ...)"), std::string::npos) << ended.err;
}

// The largest size of a file stands for a disk that is full: first for the journal, then for the
// summary alone.
TEST_F(EvalRefusal, ADiskThatIsFull) {
  const auto evalWithin = [&](int blocks) {
    return runProgram({"/bin/sh", "-c",
                       "trap '' XFSZ; ulimit -f " + std::to_string(blocks) + "; exec \"$@\"", "sh",
                       mpmPath(), "eval", modelFile("segmenter_mask.onnx"), folder_.at(""),
                       "--format", "folder", "--out", out_});
  };
  const Ended early = evalWithin(6);
  EXPECT_EQ(early.status, 1) << early.err;
  EXPECT_NE(early.err.find("cannot write " + out_ + "/journal.jsonl: File too large"),
            std::string::npos)
      << early.err;
  const std::string begun = bytesOf(out_ + "/journal.jsonl");
  EXPECT_EQ(begun.back(), '\n');
  EXPECT_FALSE(std::filesystem::exists(out_ + "/summary.json"));
  ASSERT_EQ(eval({"--out", out_}).status, 0);
  const std::string journal = bytesOf(out_ + "/journal.jsonl");
  const std::string summary = bytesOf(out_ + "/summary.json");
  EXPECT_EQ(journal.find(begun), 0U);
  const Ended late = evalWithin(2);
  EXPECT_EQ(late.status, 1);
  EXPECT_NE(late.err.find("cannot write " + out_ + "/summary.json: File too large"),
            std::string::npos)
      << late.err;
  EXPECT_EQ(bytesOf(out_ + "/journal.jsonl"), journal);
  EXPECT_EQ(bytesOf(out_ + "/summary.json"), summary);
  EXPECT_FALSE(std::filesystem::exists(out_ + "/summary.json.part"));
}

}  // namespace
}  // namespace mpm::test
