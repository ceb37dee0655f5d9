// SPDX-License-Identifier: Apache-2.0
// mpm watch: what it says and leaves behind, and how it ends.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/monitor_replay.h"
#include "cli/mpm.h"
#include "monitor/source/separate_reader.h"

namespace mpm::test {
namespace {

using nlohmann::json;

TEST(Monitor, TwoReplaysSayTheSame) {
  const Folder folder;
  const std::string source = "yard=" + noisePictures(folder, 12);
  const Ended first = monitorReplay(source, {"--json"}), second = monitorReplay(source, {"--json"});
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.out, second.out);
  const json said = json::parse(first.out);
  EXPECT_EQ(said["sources"][0]["name"], "yard");
  EXPECT_EQ(said["sources"][0]["frames"], 12);
  std::uint64_t frames = 0;
  for (const auto& [light, figures] : said["sources"][0]["light"].items()) {
    frames += figures["frames"].get<std::uint64_t>();
    EXPECT_GT(figures["metrics"]["live_rows"]["mean"].get<double>(), 0) << light;
  }
  EXPECT_EQ(frames, 12u);
}

TEST(Monitor, ItsSummaryIsJsonWhateverBytesAPathHas) {
  const Folder folder;
  const std::string source = folder.at("caf\xE9");
  std::filesystem::rename(noisePictures(folder, 3), source);
  const Ended ended = monitorReplay("yard=" + source, {"--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string address = json::parse(ended.out)["sources"][0]["address"];
  EXPECT_NE(address.find("caf\xEF\xBF\xBD"), std::string::npos) << address;
}

std::set<std::string> lightsOf(const std::string& source, const Words& more) {
  Words words{"--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Ended ended = monitorReplay(source, words);
  EXPECT_EQ(ended.status, 0) << ended.err;
  std::set<std::string> lights;
  const json said = json::parse(ended.out);
  for (const auto& [light, figures] : said["sources"][0]["light"].items()) {
    if (figures["frames"] > 0) lights.insert(light);
  }
  return lights;
}

TEST(Monitor, WhatIsNightAndColourCanBeSet) {
  using Lights = std::set<std::string>;
  const Folder folder;
  const std::string source = noisePictures(folder, 4);  // noise: medium bright, colourful
  EXPECT_EQ(lightsOf(source, {"--light", "dwell=0,smoothing=0"}), Lights{"day"});
  EXPECT_EQ(lightsOf(source, {"--light", "dwell=0,smoothing=0,day=0.99,night=0.95"}),
            Lights{"night"});
  EXPECT_EQ(lightsOf(source, {"--light", "infrared=1,dwell=0"}), Lights{"infrared"});
  EXPECT_EQ(lightsOf(source, {"--light", "black=0.9,dwell=0"}), Lights{"no_signal"});
}

TEST(Monitor, GoesOnWithoutASourceUntilItsTimeIsOver) {
  const Ended ended = mpmProgram(
      {"watch", "/nowhere/camera.mp4", "--for", "1", "--model", modelFile("segmenter_mask.onnx")});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("no frame came"), std::string::npos) << ended.out;
}

TEST(Monitor, AReplayOfNothingFails) {
  const Folder folder;
  const Ended missing = monitorReplay("gate=" + folder.at("none.mp4"), {});
  EXPECT_EQ(missing.status, 1) << missing.out;
  EXPECT_NE(missing.err.find("no frame of gate was labelled: there is no file"), std::string::npos)
      << missing.err;
  const Ended large = monitorReplay(noisePictures(folder, 2), {"--max-megapixels", "0.001"});
  EXPECT_EQ(large.status, 1) << large.out;
  EXPECT_NE(large.err.find("more than 0.001 megapixels"), std::string::npos) << large.err;
}

// Seen: the log said that it was at its end, and nothing else.
TEST(Monitor, AReplaySaysWhichPicturesItCouldNotRead) {
  const Folder folder;
  const std::string source = noisePictures(folder, 3);
  folder.write("pictures/101.png", "none");
  const Ended ended = monitorReplay("gate=" + source, {});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.err.find("gate: it is at its end: 1 of the 3 pictures in "), std::string::npos)
      << ended.err;
}

// Its reader may have so much of a processor's time. Seen: status 0, and figures of a part.
TEST(Monitor, AReplayThatLosesItsReaderFails) {
  const Folder folder;
  const std::string source = folder.at("pictures"), first = source + "/100.png";
  std::filesystem::create_directory(source);
  cv::Mat picture(1000, 1000, CV_8UC3);
  cv::RNG(1).fill(picture, cv::RNG::UNIFORM, 0, 256);
  cv::imwrite(first, picture);
  for (int i = 101; i < 600; ++i) {
    std::filesystem::create_hard_link(first, source + "/" + std::to_string(i) + ".png");
  }
  const std::string reader =
      folder.write("reader", "#!/bin/sh\nulimit -t 1\nexec '" + monitor::readerProgram() + "'\n");
  std::filesystem::permissions(reader, std::filesystem::perms::owner_all);
  const Ended ended = mpmProgram(
      {"watch", "gate=" + source, "--replay", "--model", modelFile("segmenter_mask.onnx")},
      {{"MPM_READER", reader}});
  EXPECT_EQ(ended.status, 1) << ended.out;
  EXPECT_NE(ended.err.find("the replay of gate ended early: the process that reads "),
            std::string::npos)
      << ended.err;
}

}  // namespace
}  // namespace mpm::test
