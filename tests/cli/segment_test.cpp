// SPDX-License-Identifier: Apache-2.0
// mpm segment: what it writes, and what it refuses.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/mpm.h"
#include "monitor/source/tiny_server.h"

namespace mpm::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

cv::Mat randomPicture(const cv::Size& size, std::uint64_t seed) {
  cv::Mat picture(size, CV_8UC3);
  cv::RNG(seed).fill(picture, cv::RNG::UNIFORM, 0, 256);
  return picture;
}

std::string writePicture(const Folder& folder, const std::string& name, const cv::Size& size) {
  cv::imwrite(folder.at(name), randomPicture(size, name.size()));
  return folder.at(name);
}

Ended segment(const Words& inputs, const std::string& out, const Words& more = {},
              const std::string& model = "segmenter_mask.onnx") {
  Words words = {"segment", modelFile(model)};
  words.insert(words.end(), inputs.begin(), inputs.end());
  words.insert(words.end(), {"--out", out});
  words.insert(words.end(), more.begin(), more.end());
  return mpmProgram(words);
}

std::vector<json> linesOf(const std::string& text) {
  std::vector<json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
  return lines;
}

TEST(Segment, APictureItsLabelsAndALine) {
  const Folder folder;
  const std::string picture = writePicture(folder, "street.png", {101, 67});
  const Ended ended = segment({picture}, folder.at("out"));
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_NE(ended.out.find("wrote 1 frame to "), std::string::npos) << ended.out;
  EXPECT_EQ(folder.content(),
            (std::set<std::string>{"street.png", "out", "out/frames.jsonl", "out/street_labels.png",
                                   "out/street_merge.png", "out/street_overlay.jpg"}));
  const cv::Mat labels = cv::imread(folder.at("out/street_labels.png"), cv::IMREAD_UNCHANGED);
  ASSERT_EQ(labels.size(), cv::Size(101, 67));
  ASSERT_EQ(labels.type(), CV_8U);
  EXPECT_EQ(cv::imread(folder.at("out/street_overlay.jpg")).size(), cv::Size(101, 67));

  const std::vector<json> lines = linesOf(bytesOf(folder.at("out/frames.jsonl")));
  ASSERT_EQ(lines.size(), 1U);
  const json& line = lines[0];
  EXPECT_EQ(line["source"], picture);
  EXPECT_EQ(line["width"], 101);
  EXPECT_EQ(line["height"], 67);
  EXPECT_EQ(line["windows"], 1);
  ASSERT_EQ(line["rows"].size(), 3U);
  EXPECT_EQ(line["rows"][0], 49);
  EXPECT_LT(line["rows"][2], line["rows"][1]);
  EXPECT_GT(line["times_ms"]["network"], 0);
  double shares = 0;
  for (const json& area : line["classes"]) {
    const int label = area["label"];
    const double share = cv::countNonZero(labels == label) / (101.0 * 67);
    EXPECT_NEAR(area["share"], share, 1e-6);
    EXPECT_EQ(area["name"], "class " + std::to_string(label));
    shares += share;
  }
  EXPECT_NEAR(shares, 1, 1e-9);
}

TEST(Segment, DepthIsAPictureAndNumbers) {
  const Folder folder;
  const std::string picture = writePicture(folder, "a.png", {40, 30});
  const Ended ended = segment({picture}, folder.at("out"), {"--json"}, "hf_depth_anything.onnx");
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(folder.content(),
            (std::set<std::string>{"a.png", "out", "out/frames.jsonl", "out/a_merge.png",
                                   "out/a_values.npy", "out/a_values.png"}));
  EXPECT_EQ(cv::imread(folder.at("out/a_values.png")).size(), cv::Size(40, 30));
  const json line = linesOf(ended.out).at(0);
  EXPECT_FALSE(line.contains("classes"));
  EXPECT_LT(line["values"]["smallest"], line["values"]["mean"]);
  EXPECT_LT(line["values"]["mean"], line["values"]["largest"]);
}

TEST(Segment, FoldersByNameAndNamesThatComeTwice) {
  const Folder folder, out;
  const std::string single = writePicture(folder, "b.png", {20, 20});
  writePicture(folder, "a.png", {30, 20});
  folder.write("notes.txt", "no picture");
  const Ended ended = segment({folder.at(""), single}, out.at("out"), {"--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, bytesOf(out.at("out/frames.jsonl")));
  const std::vector<json> lines = linesOf(ended.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0]["files"][0], "a_labels.png");
  EXPECT_EQ(lines[1]["files"][0], "b_labels.png");
  EXPECT_EQ(lines[2]["files"][0], "b_2_labels.png");
  EXPECT_EQ(lines[2]["frame"], 2);
}

TEST(Segment, WhatCannotBeReadIsLeftOutAndTold) {
  const Folder folder, out;
  const std::string whole = bytesOf(writePicture(folder, "a.png", {30, 20}));
  folder.write("b.png", whole.substr(0, 60));
  folder.write("c.JPG", "");
  folder.write("notes.txt", "no picture");
  const std::string lonely = out.at("lonely.png");
  out.write("lonely.png", "a name that promises too much");
  const Ended ended = segment({folder.at(""), lonely}, out.at("out"), {"--json"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(linesOf(ended.out).size(), 1U);
  EXPECT_NE(ended.err.find("mpm: left out 3 of 4 inputs (broken, too large, or without a frame): " +
                           folder.at("b.png") + ", " + folder.at("c.JPG") + ", " + lonely + "\n"),
            std::string::npos)
      << ended.err;
}

TEST(Segment, ALineOfPixelsIsDrawnAndWhatNoJpegHoldsIsLeftOut) {
  const Folder folder;
  std::filesystem::create_directory(folder.at("in"));
  writePicture(folder, "in/tall.png", {1, 5000});
  writePicture(folder, "in/wide.png", {65501, 2});
  writePicture(folder, "in/z.png", {20, 20});
  const Ended ended = segment({folder.at("in")}, folder.at("out"));
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.err.find("left out 1 of 3 inputs"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("wide.png"), std::string::npos) << ended.err;
  EXPECT_EQ(linesOf(bytesOf(folder.at("out/frames.jsonl"))).size(), 2U);
  EXPECT_EQ(cv::imread(folder.at("out/tall_merge.png")).size(), cv::Size(1, 5000));
}

TEST(Segment, AJpegThatWasCutOffIsLeftOut) {
  const Folder folder;
  std::filesystem::create_directory(folder.at("in"));
  std::vector<unsigned char> bytes;
  cv::imencode(".jpg", randomPicture({64, 64}, 5), bytes);
  folder.write("in/cut.jpg",
               std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size() / 2));
  writePicture(folder, "in/whole.jpg", {64, 64});
  const Ended ended = segment({folder.at("in")}, folder.at("out"));
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.err.find("left out 1 of 2 inputs"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("cut.jpg"), std::string::npos) << ended.err;
  EXPECT_EQ(linesOf(bytesOf(folder.at("out/frames.jsonl"))).size(), 1U);
}

TEST(Segment, APipeInAFolderIsNoPictureAndKeepsNobodyWaiting) {
  const Folder folder;
  std::filesystem::create_directory(folder.at("in"));
  writePicture(folder, "in/a.png", {20, 20});
  ASSERT_EQ(mkfifo(folder.at("in/pipe").c_str(), 0600), 0);
  EXPECT_EQ(segment({folder.at("in")}, folder.at("out")).status, 0);
}

TEST(Segment, WindowsThatSlideAndFullTokens) {
  const Folder folder;
  const std::string picture = writePicture(folder, "wide.png", {200, 60});
  const Ended slid = segment({picture}, folder.at("slid"), {"--fit", "slide", "--json"});
  ASSERT_EQ(slid.status, 0) << slid.err;
  EXPECT_GT(linesOf(slid.out)[0]["windows"], 1);
  EXPECT_EQ(linesOf(slid.out)[0]["files"].size(), 2U);
  const Ended full = segment({picture}, folder.at("full"), {"--merge-before", "none", "--json"});
  ASSERT_EQ(full.status, 0) << full.err;
  EXPECT_EQ(linesOf(full.out)[0]["rows"], json({49}));
}

TEST(Segment, ACamerasFramesWithAMemory) {
  const Folder folder, out;
  for (const char* name : {"1.png", "2.png", "3.png"})
    cv::imwrite(folder.at(name), randomPicture({64, 48}, 3));
  const Ended ended = segment({folder.at("")}, out.at("out"),
                              {"--memory", "on", "--merge-before", "none", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::vector<json> lines = linesOf(ended.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0]["memory"], (json{{"patches", 48}, {"fresh", 48}, {"age", 0}}));
  EXPECT_EQ(lines[1]["memory"]["age"], 1);
  EXPECT_LT(lines[1]["memory"]["fresh"], 5);
  EXPECT_EQ(lines[2]["classes"], lines[0]["classes"]);
  EXPECT_TRUE(out.content().contains("out/1_merge.png"));
  EXPECT_FALSE(out.content().contains("out/2_merge.png"));
  const Ended none =
      segment({folder.at("1.png")}, out.at("none"), {"--memory", "on", "--fit", "slide"});
  EXPECT_EQ(none.status, 0);
  EXPECT_NE(none.err.find("mpm: there is no scene memory: "), std::string::npos) << none.err;
}

std::string writeSecret(const Folder& folder, const std::string& name, const std::string& text) {
  const std::string path = folder.write(name, text);
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  return path;
}

// A picture that stands still but for its noise: how many labels change from frame to frame.
TEST(Segment, ACamerasLabelsSteadied) {
  const Folder folder, out;
  cv::Mat still = randomPicture({64, 48}, 3), noise(still.size(), CV_8UC3);
  constexpr int kFrames = 8;
  for (int i = 0; i < kFrames; ++i) {
    cv::RNG(static_cast<std::uint64_t>(i)).fill(noise, cv::RNG::UNIFORM, 0, 4);
    cv::imwrite(folder.at(std::to_string(i) + ".png"), still * 0.9 + noise);
  }
  const auto changes = [&](const std::string& name, const Words& more) {
    const Ended ended = segment({folder.at("")}, out.at(name), more);
    EXPECT_EQ(ended.status, 0) << ended.err;
    int changed = 0;
    cv::Mat before;
    for (int i = 0; i < kFrames; ++i) {
      const std::string file = name + "/" + std::to_string(i) + "_labels.png";
      const cv::Mat labels = cv::imread(out.at(file), cv::IMREAD_UNCHANGED);
      if (i > 0) changed += cv::countNonZero(labels != before);
      before = labels;
    }
    return changed;
  };
  const int plain = changes("plain", {}), steadied = changes("steadied", {"--steady"});
  EXPECT_GT(plain, 20);
  EXPECT_LT(steadied, plain / 2);
  expectMpmRefuses({"segment", modelFile("segmenter_mask.onnx"), folder.at(""), "--out",
                    out.at("both"), "--memory", "on", "--steady"},
                   2, "--steady");
}

TEST(Segment, AnAddressStandsInAFileAndItsPasswordNowhere) {
  const TinyServer server(cameraAnswer(3, {64, 48}), true);
  const std::string place = "127.0.0.1:" + std::to_string(server.port()) + "/video";
  const Folder folder, out;
  // A % is a letter of it, and no number of a picture.
  const std::string file = writeSecret(folder, "gate", "http://me:geheim%21@" + place + "\n");
  for (const std::string& input : {"@" + file, "http://me:geheim%21@" + place}) {
    const Ended ended = segment({input}, out.at("out"), {"--json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ((ended.out + ended.err).find("geheim"), std::string::npos) << ended.out << ended.err;
    const std::vector<json> lines = linesOf(ended.out);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0]["source"], "http://***@" + place);
    EXPECT_EQ(lines[0]["files"][0], "video_000000_labels.png");
  }
}

TEST(Segment, AFileOfAnAddressMayNameAPictureAndIsNotReadByEverybody) {
  const Folder folder, out;
  const std::string picture = writePicture(folder, "@a.png", {30, 20});
  const Ended ended =
      segment({"@" + writeSecret(folder, "where", picture)}, out.at("out"), {"--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(linesOf(ended.out).at(0)["source"], picture);
  EXPECT_EQ(segment({folder.at("")}, out.at("all")).status, 0);  // names of a folder are names
  expectRefusal(segment({"@" + folder.at("none")}, out.at("none")), 2, "mpm", "No such file");
  const std::string open = folder.write("open", picture);
  std::filesystem::permissions(open, std::filesystem::perms(0644));
  expectRefusal(segment({"@" + open}, out.at("none")), 2, "mpm", "can be read by everybody");
  EXPECT_FALSE(out.content().contains("none"));
}

TEST(Segment, AModelThatCannotMerge) {
  const Folder folder;
  const std::string picture = writePicture(folder, "a.png", {20, 20});
  const Ended ended = segment({picture}, folder.at("out"), {}, "refused_cnn.onnx");
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.err.find("runs without merging"), std::string::npos) << ended.err;
  EXPECT_FALSE(folder.content().contains("out/a_merge.png"));
  const Ended asked =
      segment({picture}, folder.at("other"), {"--merge-before", "2"}, "refused_cnn.onnx");
  expectRefusal(asked, 1, "mpm", "it cannot merge: ");
}

TEST(Segment, WhatItRefuses) {
  const Folder folder;
  const std::string picture = writePicture(folder, "a.png", {20, 20}), out = folder.at("out");
  const auto expectRefused = [&](const Ended& ended, int status, const std::string& part) {
    expectRefusal(ended, status, "mpm", part);
    EXPECT_FALSE(folder.content().contains("out"));
  };
  expectRefused(segment({folder.at("none.png")}, out), 1, "there is no file or folder ");
  expectRefused(segment({picture, folder.write("b.txt", "text")}, out), 1, "cannot open ");
  expectRefused(segment({"/dev/null"}, out), 1, "cannot open ");  // a device, but no camera
  expectRefused(segment({picture}, out, {"--fit", "crop"}), 2,
                "--fit crop is not known; use stretch or slide");
  expectRefused(segment({picture}, out, {"--stride", "9"}), 2, "only go with --fit slide");
  expectRefused(segment({picture}, out, {"--fit", "slide", "--stride", "99"}), 2,
                "would leave gaps");
  expectRefused(segment({picture}, out, {"--merge-before", "12"}), 2, "--merge-before 12: ");
  expectRefused(segment({picture}, out, {}, "timm_vit.onnx"), 1, "not a segmentation model");
  expectRefused(mpmProgram({"segment", modelFile("segmenter_mask.onnx"), picture}), 2, "--out");
  for (const Words& words : {Words{"segment", picture}, Words{"segment", "video.avi", picture}})
    expectRefused(mpmProgram(words), 2, words[1] + " is not a model; name an ONNX file before it");
  const Folder empty;
  expectRefused(segment({empty.at("")}, out), 1, "there are no pictures in the folder ");
  folder.write("plain", "no folder");
  expectRefused(segment({picture}, folder.at("plain")), 1, "cannot make the folder ");
}

TEST(Segment, AFullDiskIsToldWithTheFile) {
  const Folder folder;
  const std::string picture = writePicture(folder, "a.png", {20, 20});
  std::filesystem::create_directories(folder.at("out"));
  std::filesystem::create_symlink("/dev/full", folder.at("out/a_overlay.jpg"));
  const Ended ended = segment({picture}, folder.at("out"));
  expectRefusal(ended, 1, "mpm", "cannot write " + folder.at("out/a_overlay.jpg"));
  std::filesystem::remove(folder.at("out/a_overlay.jpg"));
  std::filesystem::remove(folder.at("out/frames.jsonl"));
  std::filesystem::create_symlink("/dev/full", folder.at("out/frames.jsonl"));
  expectRefusal(segment({picture}, folder.at("out")), 1, "mpm",
                "cannot write " + folder.at("out/frames.jsonl") + ": No space left on device");
}

}  // namespace
}  // namespace mpm::test
