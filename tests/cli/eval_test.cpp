// SPDX-License-Identifier: Apache-2.0
// mpm eval: its figures against those of what mpm segment writes, also on small data sets in
// exactly the layouts of the large ones, with the settings that figures are published with; what it
// leaves behind, and how it goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/eval_data.h"
#include "cli/made_models.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

namespace mpm::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// Writes a model whose large weights are in a file of this name beside it; gives its path.
std::string splitWeights(const std::string& model, const Folder& folder, const std::string& name) {
  ::onnx::ModelProto proto;
  EXPECT_TRUE(proto.ParseFromString(bytesOf(model)));
  std::string weights;
  for (auto& constant : *proto.mutable_graph()->mutable_initializer()) {
    if (constant.raw_data().size() < 256) continue;
    constant.set_data_location(::onnx::TensorProto::EXTERNAL);
    const auto add = [&](const char* key, const std::string& value) {
      auto& entry = *constant.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    };
    add("location", name);
    add("offset", std::to_string(weights.size()));
    add("length", std::to_string(constant.raw_data().size()));
    weights += constant.raw_data();
    constant.clear_raw_data();
  }
  folder.write("copy.onnx", proto.SerializeAsString());
  return folder.write(name, weights);
}

class EvalFolder : public testing::Test {
 protected:
  EvalFolder() : truths_(putEvalData(folder_, data_, names_, {80, 60})) {}

  Ended eval(const Words& more) const {
    Words words = {"eval", model_, folder_.at(""), "--format", "folder", "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return mpmProgram(words);
  }

  std::vector<Labelled> labelled(const Words& options) const {
    return segmented(folder_, data_, names_, truths_, model_, options);
  }

  const EvalData data_ = fiveClasses();
  const Words names_ = eightNames();
  const Folder folder_;
  const std::string model_ = modelFile("segmenter_mask.onnx");
  const std::vector<cv::Mat> truths_;
};

TEST_F(EvalFolder, SchedulesSideBySide) {
  const json summary = evalSummary(
      eval({"--json", "--merge-before", "none", "--merge-before", "2,5", "--merge-before", "1"}));
  ASSERT_EQ(summary["schedules"].size(), 3U);
  const Words schedules = {"none", "2,5", "1"};
  for (std::size_t i = 0; i < 3; ++i) {
    const json& one = summary["schedules"][i];
    const std::vector<Labelled> plain = labelled({"--merge-before", schedules[i]});
    EXPECT_NEAR(one["miou"], plainMeanIou(plain, 5), 1e-12);
    EXPECT_EQ(one["rows"].size(), one["schedule"].size() + 1);
    EXPECT_EQ(one["rows"][0], 49);
    EXPECT_GT(one["ms"], one["network_ms"]);
    EXPECT_FALSE(one["edge_miou"].is_null());
  }
  const std::vector<Labelled> full = labelled({"--merge-before", "none"});
  const std::vector<Labelled> merged = labelled({"--merge-before", "2,5"});
  double agreement = 0;
  for (std::size_t i = 0; i < full.size(); ++i)
    agreement += cv::mean(full[i].found == merged[i].found)[0] / 255 / 8;
  EXPECT_NEAR(summary["schedules"][1]["agreement"], agreement, 1e-6);
  EXPECT_EQ(summary["compared"], 8);
  EXPECT_LE(summary["floor"], 1);
  EXPECT_NEAR(summary["schedules"][1]["beyond_floor"],
              std::max(0.0, summary["floor"].get<double>() - agreement), 2e-6);
  EXPECT_EQ(summary["schedules"][0]["merged"], 0);
  EXPECT_GT(summary["schedules"][1]["merged"], summary["schedules"][2]["merged"]);
}

TEST_F(EvalFolder, WithoutFullTokensThereIsNoRatio) {
  const json summary = evalSummary(eval({"--json", "--merge-before", "2,5"}));
  for (const char* key : {"ratio", "agreement", "beyond_floor"})
    EXPECT_TRUE(summary["schedules"][0][key].is_null()) << key;
  EXPECT_TRUE(summary["floor"].is_null());
}

// The precision is chosen before the first picture, and is the journal's.
TEST_F(EvalFolder, APrecisionThatIsChosen) {
  const Ended ended = eval({"--json", "--precision", "auto"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string chosen = json::parse(ended.out)["options"]["precision"];
  const std::string begin =
      "mpm: comparing precisions on 8 frames to choose one\nmpm: computing in " + chosen;
  EXPECT_EQ(ended.err.rfind(begin, 0), 0U) << ended.err;
}

TEST_F(EvalFolder, TablesForAPerson) {
  const Ended ended = eval({});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  for (const char* part :
       {"8 pictures, 5 classes; input 64 x 48, stretch", "class 4", "merge before", "(unmerged)",
        "beyond floor", "Noise floor: unmerged runs label "})
    EXPECT_NE(ended.out.find(part), std::string::npos) << ended.out << "lacks: " << part;
}

TEST_F(EvalFolder, FilesForPrograms) {
  const Ended ended = eval({"--out", folder_.at("out"), "--json"});
  EXPECT_EQ(bytesOf(folder_.at("out/summary.json")), ended.out);
  const json summary = evalSummary(ended);
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.at("out")))
    files.insert(entry.path().filename().string());
  EXPECT_EQ(files, (std::set<std::string>{"journal.jsonl", "summary.json", "summary.csv",
                                          "per_class.csv"}));
  const auto lines = [&](const std::string& name) {
    const std::string bytes = bytesOf(folder_.at("out/" + name));
    return std::count(bytes.begin(), bytes.end(), '\n');
  };
  EXPECT_EQ(lines("journal.jsonl"), 1 + 8);
  EXPECT_EQ(lines("summary.csv"), 1 + 2);
  EXPECT_EQ(lines("per_class.csv"), 1 + 2 * 5);
  const std::string csv = bytesOf(folder_.at("out/summary.csv"));
  EXPECT_NE(
      csv.find("\n\"2,5\",8," + cv::format("%.6f", summary["schedules"][1]["miou"].get<double>())),
      std::string::npos)
      << csv;
}

TEST_F(EvalFolder, GoesOnWhereItWasStopped) {
  const std::string out = folder_.at("out"), journal = out + "/journal.jsonl";
  const json whole = withoutTimes(evalSummary(eval({"--out", out, "--json"})));
  const std::string bytes = bytesOf(journal);
  for (const double share : {0.0, 0.3, 0.8}) {
    const auto size = static_cast<std::size_t>(share * static_cast<double>(bytes.size()));
    std::filesystem::resize_file(journal, size);
    EXPECT_EQ(withoutTimes(evalSummary(eval({"--out", out, "--json"}))), whole) << share;
  }
  const std::string finished = bytesOf(journal);
  EXPECT_EQ(withoutTimes(evalSummary(eval({"--out", out, "--json"}))), whole);
  EXPECT_EQ(bytesOf(journal), finished);
}

// Figures of pictures that changed since are no longer those of the data set.
TEST_F(EvalFolder, RefusesToGoOnWithPicturesThatChanged) {
  const std::string out = folder_.at("out");
  ASSERT_EQ(eval({"--out", out, "--json"}).status, 0);
  const std::string finished = bytesOf(out + "/journal.jsonl");
  const auto expectRefused = [&](const std::string& changed) {
    expectRefusal(eval({"--out", out}), 1, "mpm",
                  changed + " is not what it was when c was evaluated");
    EXPECT_EQ(bytesOf(out + "/journal.jsonl"), finished);
  };
  const std::string label = folder_.at("labels/c.png"), photo = folder_.at("images/c.png");
  const std::string labelBytes = bytesOf(label), photoBytes = bytesOf(photo);
  cv::imwrite(label, cv::Mat(60, 80, CV_8U, cv::Scalar(0)));
  expectRefused(label);
  std::filesystem::remove(label);
  folder_.write("labels/c.png", labelBytes);
  EXPECT_EQ(eval({"--out", out}).status, 0) << "as it was";
  cv::imwrite(photo, cv::Mat(60, 80, CV_8UC3, cv::Scalar(9, 9, 9)));
  expectRefused(photo);
  folder_.write("images/c.png", photoBytes);
  EXPECT_EQ(eval({"--out", out}).status, 0);
  cv::imwrite(label, cv::Mat(60, 80, CV_8U, cv::Scalar(0)));
  const Ended anew = eval({"--out", out, "--restart", "--json"});
  EXPECT_EQ(evalSummary(anew)["pictures"], 8);
  EXPECT_EQ(eval({"--out", out}).status, 0);
}

// A picture that was left out may have been mended, and is no other one.
TEST_F(EvalFolder, GoesOnWithAPictureThatWasMended) {
  const std::string out = folder_.at("out"), label = folder_.at("labels/c.png");
  const std::string whole = bytesOf(label);
  folder_.write("labels/c.png", "no picture");
  EXPECT_EQ(eval({"--out", out}).status, 1);
  folder_.write("labels/c.png", whole);
  EXPECT_EQ(evalSummary(eval({"--out", out, "--json"}))["pictures"], 8);
}

// External weights under a name that says nothing of the model's.
TEST_F(EvalFolder, RefusesToGoOnWithOtherWeights) {
  const std::string model = folder_.at("copy.onnx"), out = folder_.at("out");
  const std::string weights = splitWeights(model_, folder_, "head.bin");
  const Words words = {"eval", model, folder_.at(""), "--format", "folder", "--out", out};
  ASSERT_EQ(mpmProgram(words).status, 0);
  EXPECT_EQ(mpmProgram(words).status, 0);
  std::string bytes = bytesOf(weights);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  folder_.write("head.bin", bytes);
  expectMpmRefuses(words, 1, "it was begun differently, model head.bin ");
}

TEST_F(EvalFolder, SomePicturesAndTheNight) {
  const json day = evalSummary(eval({"--json", "--count", "3"}));
  EXPECT_EQ(day["pictures"], 3);
  const json night = evalSummary(eval({"--json", "--count", "3", "--paper-night"}));
  EXPECT_EQ(night["options"]["night"], "the paper's");
  EXPECT_NE(night["schedules"][0]["classes"], day["schedules"][0]["classes"]);
}

TEST_F(EvalFolder, NamesAndNumbersOfItsOwn) {
  folder_.write("classes.txt", "sky\nroad\nperson\nlamp\ncar\n");
  const json kept = evalSummary(eval({"--json", "--ignore", "0"}), 1);
  EXPECT_EQ(kept["schedules"][0]["classes"][3]["name"], "lamp");
  // Where 255 counts, it stands for no class.
  EXPECT_FALSE(kept["skipped"].empty());
  EXPECT_EQ(kept["skipped"][0]["kind"], "number outside the classes");
  const json reduced = evalSummary(eval({"--json", "--reduce-zero-label"}));
  EXPECT_EQ(reduced["options"]["zero label"], "reduced");
  EXPECT_EQ(reduced["schedules"][0]["classes"][4]["pixels"], 0);
}

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
