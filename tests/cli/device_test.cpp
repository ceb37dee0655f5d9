// SPDX-License-Identifier: Apache-2.0
// --device: what computes is named, and where it is not there the processor computes and says so.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/mpm.h"

namespace mpm::test {
namespace {

using Words = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

const Environment kOnHostRunner = {{"MPM_RUNNER", HOST_RUNNER}};
const Environment kNowhere = {{"MPM_RUNNER", "/nowhere/librunner.so"}};

Ended run(const Folder& folder, const std::string& out, const Words& more,
          const Environment& environment = {}) {
  Words words = {"run",     modelFile("segmenter_mask.onnx"),
                 "--input", modelFile("images_48x64.npy"),
                 "--out",   folder.at(out)};
  words.insert(words.end(), more.begin(), more.end());
  return mpmProgram(words, environment);
}

TEST(Device, IsNamedAndGivesTheSame) {
  const Folder folder;
  const Ended cpu = run(folder, "cpu", {"--device", "cpu"}, kOnHostRunner);
  const Ended device = run(folder, "device", {"--device", "cuda"}, kOnHostRunner);
  ASSERT_EQ(device.status, 0) << device.err;
  EXPECT_EQ(device.err, "");
  EXPECT_NE(device.out.find("computed on Host Memory 1\n"), std::string::npos) << device.out;
  EXPECT_EQ(cpu.out.find("computed on"), std::string::npos);
  for (const char* file : {"masks.npy", "mpm_map.npy", "mpm_rows.npy"}) {
    EXPECT_EQ(bytesOf(folder.at(std::string("device/") + file)),
              bytesOf(folder.at(std::string("cpu/") + file)))
        << file;
  }
}

TEST(Device, ThatIsNotThereIsToldOnce) {
  const Folder folder;
  const std::string begin = "mpm: device cuda: /nowhere/librunner.so cannot be loaded: ",
                    end = "; the cpu computes, in fp32\n";
  Environment byVariable = kNowhere;
  byVariable["MPM_DEVICE"] = "cuda";
  const std::vector<Ended> all = {
      run(folder, "a", {"--device", "cuda"}, kNowhere),
      run(folder, "b", {"--device", "cuda", "--precision", "tf32"}, kNowhere),
      run(folder, "c", {}, byVariable)};
  for (const Ended& ended : all) {
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.err.rfind(begin, 0), 0U) << ended.err;
    EXPECT_EQ(ended.err.find('\n'), ended.err.size() - 1) << ended.err;
    ASSERT_GT(ended.err.size(), end.size());
    EXPECT_EQ(ended.err.substr(ended.err.size() - end.size()), end);
  }
  EXPECT_EQ(bytesOf(folder.at("a/masks.npy")), bytesOf(folder.at("b/masks.npy")));
  EXPECT_EQ(run(folder, "d", {"--device", "cpu"}, byVariable).err, "");
}

TEST(Device, HasItsPrecisions) {
  const Folder folder;
  const Ended short16 =
      run(folder, "a", {"--device", "cuda", "--precision", "bf16"}, kOnHostRunner);
  EXPECT_EQ(short16.status, 2);
  EXPECT_EQ(short16.err, "mpm: --precision bf16: Host Memory 1 does not compute in it; use fp32\n");
  EXPECT_EQ(run(folder, "b", {"--device", "cuda", "--precision", "tf32"}, kOnHostRunner).status, 0);
}

TEST(Device, StandsInABenchmark) {
  const Folder folder;
  const std::string file = folder.at("bench.json");
  const Ended ended = mpmProgram({"bench", modelFile("segmenter_mask.onnx"), "--count", "2",
                                  "--threads", "1", "--device", "cuda", "--out", file},
                                 kOnHostRunner);
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("\nHost Memory 1, "), std::string::npos) << ended.out;
  const auto report = nlohmann::json::parse(bytesOf(file));
  EXPECT_EQ(report["machine"]["device"], "Host Memory 1");
  std::set<std::string> precisions;
  for (const auto& config : report["configs"]) {
    if (config["name"] == "OpenCV's own layers") continue;
    EXPECT_EQ(config["device"], "cuda");
    precisions.insert(config["precision"]);
  }
  EXPECT_EQ(precisions, (std::set<std::string>{"fp32", "tf32"}));
}

}  // namespace
}  // namespace mpm::test
