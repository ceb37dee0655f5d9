// SPDX-License-Identifier: Apache-2.0
// Pictures that do not come as [B, C, H, W] of whole patches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "cli/npy.h"
#include "in_project.h"
#include "model_edit.h"
#include "net_run.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

std::string pathOf(const std::string& name) { return inProject("tests/models/") + name + ".onnx"; }

/// [B, C, H, W] as [B, H, W, C].
cv::Mat turned(const cv::Mat& images) {
  const int height = images.size[2], width = images.size[3];
  cv::Mat last(std::vector<int>{images.size[0], height, width, 3}, CV_32F);
  for (int b = 0; b < images.size[0]; ++b) {
    std::vector<cv::Mat> planes;
    for (int c = 0; c < 3; ++c)
      planes.emplace_back(height, width, CV_32F, const_cast<float*>(images.ptr<float>(b, c)));
    cv::Mat pixels(height, width, CV_32FC3, last.ptr<float>(b));
    cv::merge(planes, pixels);
  }
  return last;
}

ReadOptions optionsWith(const Schedule& schedule, const cv::Size& size = {}) {
  ReadOptions options;
  options.schedule = schedule;
  options.inputSize = size;
  return options;
}

void expectClose(const Outputs& is, const Outputs& expected) {
  for (const auto& [name, output] : expected) {
    ASSERT_TRUE(is.contains(name)) << name;
    EXPECT_LE(relativeError(is.at(name), output), kModelOutput) << name;
  }
}

// The fixture is timm_vit_linear_head, of the same weights, behind a Transpose.
TEST(Picture, ChannelsMayComeLast) {
  const Fixture twin = fixtureNamed("timm_vit_linear_head");
  const std::string path = pathOf("channels_last");
  for (const Schedule& schedule : {Schedule{}, Schedule{1}, Schedule{0, 2}}) {
    SCOPED_TRACE("merge before " + schedule.text());
    cv::dnn::Net net = readNet(path, optionsWith(schedule));
    Outputs expected = outputsOf(twin, schedule);
    expectClose(run(net, turned(twin.images())), expected);
    if (schedule.empty()) expected = {{"masks", expected.at("masks")}};  // a file without merges
    const Folder folder;
    convert(path, folder.at("to.onnx"), optionsWith(schedule));
    cv::dnn::Net converted = readNet(folder.at("to.onnx"));
    expectClose(run(converted, turned(twin.images())), expected);
    EXPECT_EQ(describe(folder.at("to.onnx")).input, cv::Size(64, 48));
  }
  const Description found = describe(path);
  EXPECT_TRUE(found.mergeable) << found.reason;
  EXPECT_EQ(found.input, cv::Size(64, 48));
  EXPECT_EQ(found.gridSize, cv::Size(8, 6));
}

TEST(Picture, ChannelsLastAtAnotherSize) {
  const ReadOptions options = optionsWith(Schedule{1}, {96, 64});
  cv::dnn::Net net = readNet(pathOf("channels_last"), options);
  cv::dnn::Net twin = readNet(pathOf("timm_vit_linear_head"), options);
  cv::Mat images(std::vector<int>{2, 3, 64, 96}, CV_32F);
  cv::RNG(7).fill(images, cv::RNG::NORMAL, 0, 1);
  expectClose(run(net, turned(images)), run(twin, images));
}

// The file without its padding, for pictures that have theirs already.
std::string withoutPad(const std::string& path, const Folder& folder, const cv::Size& size) {
  ::onnx::ModelProto model = protoOf(path);
  auto& graph = *model.mutable_graph();
  for (const auto& pad : graph.node()) {
    if (pad.op_type() != "Pad") continue;
    for (auto& node : *graph.mutable_node()) {
      for (std::string& input : *node.mutable_input()) {
        if (input == pad.output(0)) input = pad.input(0);
      }
    }
  }
  auto& shape = *graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.mutable_dim(2)->set_dim_value(size.height);
  shape.mutable_dim(3)->set_dim_value(size.width);
  std::ofstream(folder.at("whole.onnx"), std::ios::binary) << model.SerializeAsString();
  return folder.at("whole.onnx");
}

cv::Mat paddedTo(const cv::Mat& images, const cv::Size& size) {
  cv::Mat padded(std::vector<int>{images.size[0], 3, size.height, size.width}, CV_32F,
                 cv::Scalar(0));
  for (int b = 0; b < images.size[0]; ++b) {
    for (int c = 0; c < 3; ++c) {
      for (int y = 0; y < images.size[2]; ++y)
        std::copy_n(images.ptr<float>(b, c, y), images.size[3], padded.ptr<float>(b, c, y));
    }
  }
  return padded;
}

// As plain models do, which an oracle is compared with.
TEST(Picture, PaddedOnesMergeAsThoseThatWerePaddedBefore) {
  const Folder folder;
  const cv::Size size(70, 56);
  const std::string plain = withoutPad(pathOf("padded"), folder, size);
  const cv::Mat images = fixtureNamed("timm_vit_linear_head").images();
  for (const Schedule& schedule : {Schedule{}, Schedule{0}, Schedule{1}, Schedule{0, 1}}) {
    SCOPED_TRACE("merge before " + schedule.text());
    cv::dnn::Net inside = readNet(pathOf("padded"), optionsWith(schedule));
    cv::dnn::Net before = readNet(plain, optionsWith(schedule));
    expectSame(run(inside, images), run(before, paddedTo(images, size)));
  }
}

TEST(Picture, MayBePaddedToWholePatches) {
  const std::string path = pathOf("padded");
  const cv::Mat images = fixtureNamed("timm_vit_linear_head").images();
  cv::dnn::Net full = readNet(path, optionsWith({}));
  const cli::Array stored = cli::readNpy(inProject("tests/models/padded.masks.npy"));
  cv::Mat expected(stored.shape, CV_32F);
  std::memcpy(expected.ptr<float>(), stored.values.data(), stored.values.size() * sizeof(float));
  EXPECT_LE(relativeError(run(full, images).at("masks"), expected), kModelOutput);

  cv::dnn::Net merged = readNet(path, optionsWith(Schedule{1}, {64, 48}));
  const Outputs outputs = run(merged, images);
  EXPECT_LT(outputs.at("mpm_rows").at<float>(0, 0), 21);
  EXPECT_EQ(outputs.at("mpm_map").size[1], 20);
  EXPECT_EQ(outputs.at("masks").size, expected.size);
  EXPECT_TRUE(cv::checkRange(outputs.at("masks").reshape(1, 1)));

  const Description found = describe(path);
  EXPECT_EQ(found.input, cv::Size(64, 48));
  EXPECT_EQ(found.gridSize, cv::Size(5, 4));
  try {
    readNet(path, optionsWith(Schedule{1}, {70, 56}));
    ADD_FAILURE() << "another size is not refused";
  } catch (const std::exception& error) {
    expectSentence(error.what());
    EXPECT_NE(std::string(error.what()).find("another input size"), std::string::npos);
  }
}

}  // namespace
}  // namespace mpm::test
