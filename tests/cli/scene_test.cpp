// SPDX-License-Identifier: Apache-2.0
// mpm-scene: what it writes, under which names, and what it refuses.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/mpm.h"

namespace mpm::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

const std::string kSize = "96x64";
constexpr std::size_t kPixels = std::size_t{96} * 64;

Ended scene(const Words& words, bool sized = true) {
  Words all = {besideMpm("mpm-scene")};
  if (sized) all.insert(all.end(), {"--size", kSize});
  all.insert(all.end(), words.begin(), words.end());
  return runProgram(all);
}

std::string shellWord(const std::string& word) { return "'" + word + "'"; }

// Runs "mpm-scene WORDS INTO | REST" and gives what the rest prints; err holds its exit status.
Ended scenePipe(const Words& words, const std::string& rest, const std::string& into = "") {
  std::string command = "{ " + shellWord(besideMpm("mpm-scene")) + " --size " + kSize;
  for (const std::string& word : words) command += " " + shellWord(word);
  command += into + "; echo status $? >&2; } | " + rest;
  return runProgram({"/bin/sh", "-c", command});
}

std::string pixelsOf(const cv::Mat& picture) {
  return {reinterpret_cast<const char*>(picture.data), picture.total() * picture.elemSize()};
}

double brightness(const std::string& path) {
  const cv::Scalar mean = cv::mean(cv::imread(path));
  return mean[0] + mean[1] + mean[2];
}

TEST(Scene, AFrameItsLabelsAndTheClasses) {
  const Folder folder;
  const Ended ended = scene({"--seed", "7", "--hour", "13.5", "--out", folder.at("out")});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(ended.out, "wrote 1 frame and its labels to " + folder.at("out") + "\n");
  EXPECT_EQ(folder.content(),
            (std::set<std::string>{"out", "out/classes.txt", "out/images", "out/labels",
                                   "out/images/seed7_h1330.png", "out/labels/seed7_h1330.png"}));
  const cv::Mat picture = cv::imread(folder.at("out/images/seed7_h1330.png"), cv::IMREAD_UNCHANGED);
  EXPECT_EQ(picture.size(), cv::Size(96, 64));
  EXPECT_EQ(picture.type(), CV_8UC3);
  const cv::Mat labels = cv::imread(folder.at("out/labels/seed7_h1330.png"), cv::IMREAD_UNCHANGED);
  EXPECT_EQ(labels.size(), cv::Size(96, 64));
  ASSERT_EQ(labels.type(), CV_8U);

  std::istringstream lines(bytesOf(folder.at("out/classes.txt")));
  Words names;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    EXPECT_EQ(line.substr(tab + 1).size(), 7U) << line;  // #rrggbb
    names.push_back(line.substr(0, tab));
  }
  ASSERT_EQ(names.size(), 12U);
  EXPECT_EQ(names[0], "sky");
  EXPECT_EQ(names[3], "road");
  double most = 0;
  cv::minMaxLoc(labels, nullptr, &most);
  EXPECT_LT(most, 12);
}

TEST(Scene, ADayEvenlyApart) {
  const Folder folder;
  const Ended ended = scene({"--seed", "3", "--hours", "0..24", "--count", "5", "--jpeg",
                             "--overlay", "--json", "--out", folder.at("day")});
  ASSERT_EQ(ended.status, 0) << ended.err;
  std::istringstream lines(ended.out);
  std::vector<json> frames;
  for (std::string line; std::getline(lines, line);) frames.push_back(json::parse(line));
  ASSERT_EQ(frames.size(), 5U);
  const Words hours = {"0000", "0448", "0936", "1424", "1912"};
  for (std::size_t i = 0; i < hours.size(); ++i) {
    const json& frame = frames[i];
    EXPECT_EQ(frame["image"], "images/seed3_h" + hours[i] + ".jpg");
    EXPECT_EQ(frame["labels"], "labels/seed3_h" + hours[i] + ".png");
    EXPECT_EQ(frame["overlay"], "overlays/seed3_h" + hours[i] + ".jpg");
    EXPECT_EQ(frame["seed"], 3);
    EXPECT_DOUBLE_EQ(frame["hour"], 4.8 * static_cast<double>(i));
    EXPECT_TRUE((std::set<std::string>{"fair", "rain", "snow", "fog"}).contains(frame["weather"]));
    EXPECT_GT(frame["level"], 0);
    for (const char* file : {"image", "labels", "overlay"}) {
      EXPECT_EQ(cv::imread(folder.at("day/" + frame[file].get<std::string>())).cols, 96);
    }
  }
  EXPECT_EQ(frames[0]["lamps"], 1);
  EXPECT_EQ(frames[3]["lamps"], 0);
}

std::set<std::string> imagesOf(Words words) {
  const Folder folder;
  words.insert(words.end(), {"--jpeg", "--out", folder.at("out")});
  const Ended ended = scene(words);
  EXPECT_EQ(ended.status, 0) << ended.err;
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.at("out/images")))
    names.insert(entry.path().stem().string());
  return names;
}

TEST(Scene, HoursOfAStreetAreEvenlyApartAndGoOnIntoTheNextDays) {
  const std::pair<Words, std::set<std::string>> cases[] = {
      {{"--hours", "6..8", "--count", "7"},
       {"seed7_h0600", "seed7_h061708", "seed7_h063417", "seed7_h065125", "seed7_h070834",
        "seed7_h072542", "seed7_h074251"}},
      {{"--hours", "23.5..48.5", "--count", "4"},
       {"seed7_h2330", "seed7_day2_h0545", "seed7_day2_h1200", "seed7_day2_h1815"}},
      {{"--hour", "8760"}, {"seed7_day366_h0000"}},
      {{"--seeds", "3..5", "--hour", "12"}, {"seed3_h1200", "seed4_h1200", "seed5_h1200"}}};
  for (const auto& [words, names] : cases) EXPECT_EQ(imagesOf(words), names);
}

TEST(Scene, ManyStreetsHaveHoursOfTheirOwn) {
  const std::set<std::string> six =
      imagesOf({"--seeds", "3..5", "--per-seed", "2", "--hours", "6..8"});
  EXPECT_EQ(six.size(), 6U);
  for (const std::string& name : six) {
    const std::string hour = name.substr(name.find("_h") + 2, 4);
    EXPECT_TRUE(hour >= "0600" && hour < "0800") << name;
  }
  // Whatever others are drawn beside it.
  for (const std::string& name :
       imagesOf({"--seeds", "4..4", "--per-seed", "2", "--hours", "6..8"}))
    EXPECT_TRUE(six.contains(name)) << name;
  // As many frames as seconds: each second once, whatever chance says.
  EXPECT_EQ(imagesOf({"--seeds", "5..5", "--hours", "1..1.01", "--per-seed", "36"}).size(), 36U);
}

TEST(Scene, RawBytesAreThoseOfTheFiles) {
  const Folder folder;
  const Words streets = {"--seeds", "8..9", "--hour", "15", "--weather", "rain"};
  Words files = streets, raw = streets;
  files.insert(files.end(), {"--out", folder.at("out")});
  raw.insert(raw.end(), {"--raw", "-"});
  ASSERT_EQ(scene(files).status, 0);
  std::string expected;
  for (const std::string name : {"seed8_h1500", "seed9_h1500"}) {
    expected += pixelsOf(cv::imread(folder.at("out/images/" + name + ".png")));
    expected +=
        pixelsOf(cv::imread(folder.at("out/labels/" + name + ".png"), cv::IMREAD_UNCHANGED));
  }
  ASSERT_EQ(expected.size(), 2 * 4 * kPixels);
  const Ended ended = scene(raw);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_TRUE(ended.out == expected);
}

TEST(Scene, EndlessBytesEndWithTheirReader) {
  const Ended ended = scenePipe({"--seeds", "1..", "--raw", "-"}, "head -c 60000 | wc -c");
  EXPECT_EQ(ended.status, 0);
  EXPECT_NE(ended.out.find("60000"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.err, "status 0\n");
}

TEST(Scene, IdealNoisyAndThePapersNight) {
  const Folder folder;
  const auto shoot = [&](const std::string& out, const Words& more, const char* weather = "fair") {
    Words words = {"--hour", "13", "--weather", weather, "--out", folder.at(out)};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = scene(words);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return folder.at(out + "/images/seed7_h1300.png");
  };
  const std::string ideal = shoot("ideal", {"--ideal"}), noisy = shoot("noisy", {});
  EXPECT_NE(bytesOf(ideal), bytesOf(noisy));
  EXPECT_NEAR(brightness(noisy) / brightness(ideal), 1, 0.1);
  const std::string night = shoot("night", {"--ideal", "--paper-night"});
  EXPECT_LT(brightness(night), 0.7 * brightness(ideal));
  EXPECT_EQ(bytesOf(folder.at("night/labels/seed7_h1300.png")),
            bytesOf(folder.at("ideal/labels/seed7_h1300.png")));
  const std::string snow = shoot("snow", {"--ideal"}, "snow");
  EXPECT_NE(bytesOf(snow), bytesOf(ideal));
}

TEST(Scene, AFullDiskIsToldWithTheFile) {
  const Folder folder;
  std::filesystem::create_directories(folder.at("out/images"));
  std::filesystem::create_symlink("/dev/full", folder.at("out/images/seed7_h1200.png"));
  const Ended ended = scene({"--out", folder.at("out")});
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.err.find("cannot write " + folder.at("out/images/seed7_h1200.png")),
            std::string::npos)
      << ended.err;
  EXPECT_EQ(scenePipe({"--raw", "-"}, "cat", "> /dev/full").err,
            "mpm-scene: cannot write to the standard output: No space left on device\n"
            "status 1\n");
}

TEST(Scene, WhatItRefuses) {
  const Folder folder;
  const auto expectRefused = [&](Words words, int status, const std::string& part) {
    expectRefusal(scene(words), status, "mpm-scene", part);
    EXPECT_TRUE(folder.content().empty()) << part;
  };
  const std::string out = folder.at("out");
  const auto expectOptionRefused = [&](Words words, const std::string& part) {
    words.insert(words.end(), {"--out", out});
    expectRefused(words, 2, part);
  };
  expectRefused({}, 2, "give either --out DIR or --raw -");
  expectRefused({"--out", out, "--raw", "-"}, 2, "give either --out DIR or --raw -");
  expectRefused({"--raw", out}, 2, "bytes go to the standard output; write --raw - > " + out);
  expectRefused({"--raw", "-", "--jpeg"}, 2, "--jpeg requires --out");
  expectOptionRefused({"--seed=-1"}, "--seed -1 is not a seed");
  expectOptionRefused({"--seeds=9..7"}, "--seeds 9..7 is not a range of seeds");
  expectOptionRefused({"--hour=9000"}, "--hour 9000 is not an hour");
  expectOptionRefused({"--hours=18..6"}, "--hours 18..6 is not a range of hours");
  for (const std::string size : {"640", "63x63"}) {
    expectRefusal(scene({"--size=" + size, "--out", out}, false), 2, "mpm-scene",
                  "--size " + size + " is not a size");
  }
  expectOptionRefused({"--weather", "hail"},
                      "--weather hail is not known; use fair, rain, snow or fog");
  expectOptionRefused({"--seeds", "1.."}, "--seeds 1.. would never end");
  expectOptionRefused({"--seeds", "1..2", "--seed", "1"}, "--seed excludes --seeds");
  expectOptionRefused({"--hours", "1..2", "--hour", "1"}, "--hour excludes --hours");
  expectOptionRefused({"--count", "0"}, "--count");
  expectOptionRefused({"--seeds", "1..2", "--count", "2"}, "with --seeds use --per-seed");
  expectOptionRefused({"--seed", "1", "--per-seed", "2"}, "with one --seed use --count");
  expectOptionRefused({"--hour", "3", "--count", "2"}, "one --hour is one frame of a street");
  expectOptionRefused({"--hours", "1..1.5", "--count", "1801"},
                      "1801 frames do not fit into 1800 seconds");
  expectRefused({"--raw", "-", "--json"}, 2, "--raw excludes --json");
  folder.write("plain", "no folder");
  expectRefusal(scene({"--out", folder.at("plain")}), 1, "mpm-scene", "cannot make the folder ");
}

}  // namespace
}  // namespace mpm::test
