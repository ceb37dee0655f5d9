// SPDX-License-Identifier: Apache-2.0
// A program that knows nothing of the library: one input, forward() without a name.
#include <gtest/gtest.h>

#include <opencv2/dnn.hpp>
#include <string>

#include "cli/folder.h"
#include "fixture_list.h"
#include "mpm/layers.h"
#include "mpm/net.h"

namespace mpm::test {
namespace {

class PlainForward : public FixtureTest {};

ReadOptions atImageSize(const Fixture& fixture) {
  ReadOptions options;
  if (fixture.hasOpenSize) options.inputSize = fixture.imageSize();
  return options;
}

void expectLastOutput(cv::dnn::Net net, const Fixture& fixture) {
  const cv::Mat images = fixture.images();
  net.setInput(images);
  const cv::Mat plain = net.forward().clone();
  net.setInput(images);
  const cv::Mat named = net.forward(fixture.outputs.back());
  ASSERT_EQ(plain.size, named.size);
  EXPECT_EQ(cv::norm(plain, named, cv::NORM_INF), 0);
}

TEST_P(PlainForward, GivesTheModelsLastOutput) {
  expectLastOutput(readNet(GetParam().path(), atImageSize(GetParam())), GetParam());
}

TEST_P(PlainForward, GivesItFromAConvertedFileToo) {
  Folder folder;
  const std::string file = folder.at("converted.onnx");
  convert(GetParam().path(), file, atImageSize(GetParam()));
  registerLayers();
  expectLastOutput(cv::dnn::readNetFromONNX(file), GetParam());
}

MPM_FOR_FIXTURES(PlainForward, mergeableFixtures());

}  // namespace
}  // namespace mpm::test
