// SPDX-License-Identifier: Apache-2.0
// Several encoders in one file: each merges as it does alone.
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "model_edit.h"
#include "net_run.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

ReadOptions merging(const Schedule& schedule) {
  ReadOptions options;
  options.schedule = schedule;
  return options;
}

Outputs outputsOfFile(const std::string& path, const Schedule& schedule, const cv::Mat& images) {
  cv::dnn::Net net = readNet(path, merging(schedule));
  return run(net, images);
}

class TwoEncoders : public testing::Test {
 protected:
  /// A file with one output alone, and so with one of the two encoders.
  std::string only(const std::string& output) const {
    const std::string path = folder_.at(output + ".onnx");
    ::onnx::ModelProto model = protoOf(fixture_.path());
    keepOutput(model, output);
    std::ofstream(path, std::ios::binary) << model.SerializeAsString();
    return path;
  }

  const Fixture fixture_ = unlistedFixture("two_encoders", {"left", "right", "joined"});
  const Folder folder_;
};

TEST_F(TwoEncoders, GiveTheStoredOutputsWithoutMerging) {
  const Outputs outputs = outputsOfFile(fixture_.path(), {}, fixture_.images());
  for (const std::string& name : fixture_.outputs)
    EXPECT_LE(relativeError(outputs.at(name), fixture_.stored(name)), kModelOutput) << name;
}

// Block 2 is there in the first alone.
TEST_F(TwoEncoders, MergeAsEachDoesAlone) {
  const std::string left = only("left"), right = only("right");
  for (const Schedule& schedule : {Schedule{0}, Schedule{1}, Schedule{0, 1}}) {
    SCOPED_TRACE("merge before " + schedule.text());
    const Outputs both = outputsOfFile(fixture_.path(), schedule, fixture_.images());
    const Outputs first = outputsOfFile(left, schedule, fixture_.images());
    const Outputs second = outputsOfFile(right, schedule, fixture_.images());
    for (const char* name : {"left", "mpm_map", "mpm_rows"})
      EXPECT_TRUE(isSame(both.at(name), first.at(name))) << name;
    EXPECT_TRUE(isSame(both.at("right"), second.at("right")));
    EXPECT_TRUE(isSame(both.at("mpm_map_2"), second.at("mpm_map")));
    EXPECT_TRUE(isSame(both.at("mpm_rows_2"), second.at("mpm_rows")));
    EXPECT_EQ(both.at("mpm_map").size[1], 48);
    EXPECT_EQ(both.at("mpm_map_2").size[1], 12);
  }
}

TEST_F(TwoEncoders, AreDescribedByTheDeeperOne) {
  const Description found = describe(fixture_.path());
  EXPECT_TRUE(found.mergeable) << found.reason;
  EXPECT_EQ(found.depth, 3);
  EXPECT_EQ(found.embedDim, 16);
  EXPECT_EQ(found.gridSize, cv::Size(8, 6));
  EXPECT_EQ(found.added,
            (std::vector<std::string>{"mpm_map", "mpm_rows", "mpm_map_2", "mpm_rows_2"}));
}

TEST_F(TwoEncoders, ChangeTheirScheduleTogether) {
  cv::dnn::Net net = readNet(fixture_.path(), merging({}));
  setSchedule(net, {1, 2});
  EXPECT_EQ(schedule(net), (Schedule{1, 2}));
  const Outputs changed = run(net, fixture_.images());
  const Outputs read = outputsOfFile(fixture_.path(), {1, 2}, fixture_.images());
  for (const char* name : {"left", "right", "joined", "mpm_map_2"})
    EXPECT_TRUE(isSame(changed.at(name), read.at(name))) << name;
  EXPECT_THROW(setSchedule(net, {3}), std::invalid_argument);
}

TEST_F(TwoEncoders, AreConvertedToOneFile) {
  const std::string path = folder_.at("converted.onnx");
  convert(fixture_.path(), path, merging({0, 2}));
  EXPECT_EQ(describe(path).added.size(), 4U);
  const Outputs read = outputsOfFile(fixture_.path(), {0, 2}, fixture_.images());
  cv::dnn::Net net = readNet(path);
  const Outputs converted = run(net, fixture_.images());
  for (const auto& [name, output] : read)
    EXPECT_LE(relativeError(converted.at(name), output), kModelOutput) << name;
}

}  // namespace
}  // namespace mpm::test
